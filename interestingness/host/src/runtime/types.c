// ---- The types by which memory was written ----

// For each byte, the number of the type that it was written as, 0 where that is not known: see aliasing.rs. Memory is looked
// up by pages, most of which nobody asks for.

#ifdef ADDRESS_SANITIZER

enum { PAGE_BYTES = 4096, PAGE_SLOTS = 1 << 14 };

static struct TypedPage {
    uintptr_t number;
    unsigned char *types;
} *typed_pages;

// The types of the page with a byte. Where there is no room for more pages, nothing is known of the others.
UNWATCHED static unsigned char *types_of(uintptr_t place, int is_written)
{
    static struct TypedPage *last;
    uintptr_t number = place / PAGE_BYTES;
    if (last && last->number == number)
        return last->types;
    if (!typed_pages && is_written)
        typed_pages = calloc(PAGE_SLOTS, sizeof *typed_pages);
    for (uintptr_t i = 0; typed_pages && i < PAGE_SLOTS; i++) {
        struct TypedPage *page = &typed_pages[(number * 0x9e3779b1 + i) % PAGE_SLOTS];
        if (!page->types && !is_written)
            return NULL;
        if (!page->types) {
            page->number = number;
            page->types = calloc(PAGE_BYTES, 1);
        }
        if (page->number == number) {
            last = page->types ? page : NULL;
            return page->types;
        }
    }
    return NULL;
}

UNWATCHED static unsigned char type_of(uintptr_t place)
{
    unsigned char *types = types_of(place, 0);
    return types ? types[place % PAGE_BYTES] : 0;
}

// A write of one type; where it is not known, nothing need be written down on a page that has no types yet.
UNWATCHED static void set_type(uintptr_t place, uint64_t bytes, unsigned char type)
{
    if (!typed_pages && !type)
        return;
    for (uint64_t i = 0; i < bytes; i++) {
        unsigned char *types = types_of(place + i, type != 0);
        if (types)
            types[(place + i) % PAGE_BYTES] = type;
    }
}

// What the built-in functions write may be of any type, and what others write is told after this.
UNWATCHED static void forget_types(uintptr_t place, uint64_t bytes) { set_type(place, bytes, 0); }

void clreduce_typed_load(uintptr_t place, uint64_t bytes, unsigned type);
UNWATCHED void clreduce_typed_load(uintptr_t place, uint64_t bytes, unsigned type)
{
    for (uint64_t i = 0; i < bytes; i++) {
        unsigned char written = type_of(place + i);
        if (written && written != type) {
            report_once("aliasing", BACK);
            return;
        }
    }
}

void clreduce_typed_store(uintptr_t place, uint64_t bytes, unsigned type);
UNWATCHED void clreduce_typed_store(uintptr_t place, uint64_t bytes, unsigned type)
{
    set_type(place, bytes, (unsigned char)type);
}

void clreduce_typed_copy(uintptr_t to, uintptr_t from, uint64_t bytes);
UNWATCHED void clreduce_typed_copy(uintptr_t to, uintptr_t from, uint64_t bytes)
{
    // Blocks that overlap are copied by `memmove` from either end.
    for (uint64_t i = 0; i < bytes; i++) {
        uint64_t at = to < from ? i : bytes - 1 - i;
        set_type(to + at, 1, type_of(from + at));
    }
}

#endif
