// ---- What a group does together ----

// Every work-item of a group has to come to the same copies by the group and to the same waits for them, in the same order
// and with the same arguments. The one that comes first writes down what it does, and the others are compared with it.

struct Meeting {
    // Of the calls and the arguments.
    uint64_t mark;
    uintptr_t call;
    // Of a copy: the number of its event, from 1. Of a wait: 0.
    uint32_t event;
    // Of a copy: the number of meetings after which it is waited for; 0 if it is not.
    uint32_t awaited;
    // Of the first copy with an event: the number of meetings at the last wait for the event.
    uint32_t last_wait;
};

static struct Meeting *meetings;
static uint32_t meeting_count, meeting_room;

RAW static void report_call(const char *what, uintptr_t call)
{
    fprintf(stderr, "clreduce: %s 0x%" PRIxPTR "\n", what, call);
    fflush(stderr);
}

RAW static void end_divided(uintptr_t call, uintptr_t other)
{
    fprintf(stderr, "clreduce: divided 0x%" PRIxPTR " 0x%" PRIxPTR "\n", call, other);
    fflush(stderr);
    print_coverage();
    _Exit(EXIT_DIVERGENCE);
}

RAW static void write_down(struct Meeting meeting)
{
    if (meeting_count == meeting_room) {
        uint32_t room = meeting_room ? meeting_room * 2 : 64;
        struct Meeting *larger = realloc(meetings, room * sizeof *meetings);
        if (!larger) {
            fprintf(stderr, "clreduce: no memory for the copies of a group\n");
            _Exit(EXIT_USAGE);
        }
        meetings = larger;
        meeting_room = room;
    }
    meetings[meeting_count++] = meeting;
}

static uint64_t mixed(uint64_t mark, uint64_t number)
{
    mark = (mark ^ number) * 0x9e3779b97f4a7c15;
    return mark ^ mark >> 32;
}

// The current work-item comes to a copy or a wait. Returns true if it is the first one.
RAW static int meet(const uint64_t *arguments, int count, uint32_t event)
{
    uintptr_t calls[MAX_DEPTH];
    int depth = calls_of(calls);
    uint64_t mark = event;
    for (int i = 0; i < count; i++)
        mark = mixed(mark, arguments[i]);
    for (int i = 0; i < depth; i++)
        mark = mixed(mark, calls[i]);
    struct Meeting own = {mark, depth ? calls[0] : 0, event, 0, 0};
    int is_first = current->met == meeting_count;
    if (is_first)
        write_down(own);
    const struct Meeting *first = &meetings[current->met++];
    if (first->mark != mark)
        end_divided(own.call, first->call);
    return is_first;
}

// Some copy that the current work-item has begun has this event.
RAW static int is_event(uint64_t event)
{
    static int is_reported;
    if (event > 0 && event <= current->met && meetings[event - 1].event == event)
        return 1;
    uintptr_t calls[MAX_DEPTH];
    if (!is_reported)
        report_call("no-event", calls_of(calls) ? calls[0] : 0);
    is_reported = 1;
    return 0;
}

// Around a copy by the group, with the event that it is to share, or 0. Only the work-item that comes first makes it, for
// which this is true; the others have begun it all the same.
int clreduce_begin_copy(uint64_t to, uint64_t from, uint64_t count, uint64_t stride, uint64_t *event);
RAW int clreduce_begin_copy(uint64_t to, uint64_t from, uint64_t count, uint64_t stride, uint64_t *event)
{
    const uint64_t arguments[] = {to, from, count, stride};
    if (!*event || !is_event(*event))
        *event = current->met + 1;
    watch_copy(1);
    return meet(arguments, 4, (uint32_t)*event);
}

void clreduce_end_copy(void);
RAW void clreduce_end_copy(void) { watch_copy(0); }

void clreduce_wait_for_events(uint64_t count, const uint64_t *events);
RAW void clreduce_wait_for_events(uint64_t count, const uint64_t *events)
{
    int is_first = meet(events, (int)count, 0);
    for (uint64_t i = 0; i < count; i++) {
        if (!is_event(events[i]) || !is_first)
            continue;
        // Copies before the last wait for the same event were waited for then.
        uint32_t *last_wait = &meetings[events[i] - 1].last_wait;
        uint64_t at = *last_wait ? *last_wait : events[i] - 1;
        for (; at < meeting_count; at++)
            if (meetings[at].event == events[i])
                meetings[at].awaited = current->met;
        *last_wait = current->met;
    }
}

// The current work-item has waited for the copy that was its meeting with this number, from 1.
RAW static int has_awaited(uint32_t number)
{
    uint32_t awaited = meetings[number - 1].awaited;
    return awaited && awaited <= current->met;
}

// All work-items are at the same barrier, or at the end.
RAW static void compare_meetings(int is_end)
{
    for (uint64_t i = 0; i < fibre_count; i++)
        if (fibres[i].met != meeting_count)
            end_divided(meetings[fibres[i].met].call, 0);
    static uintptr_t reported;
    for (uint32_t at = 0; is_end && at < meeting_count; at++)
        if (meetings[at].event && !meetings[at].awaited && meetings[at].call != reported) {
            reported = meetings[at].call;
            report_call("not-awaited", reported);
        }
}
