// ---- Images ----

// An image is a buffer whose bytes are pixels, row by row. What a kernel holds is the address of its description; a sampler
// is the number that OpenCL C writes for it. Which pixel is meant is decided here, and images.cl reads and writes it.

enum {
    NORMALIZED = 1,
    ADDRESSING = 14,
    CLAMP_TO_EDGE = 2,
    CLAMP = 4,
    REPEAT = 6,
    MIRRORED_REPEAT = 8,
    LINEAR = 0x20,
};

// The word `i:NUMBER:WIDTH:ROWS:SLICES:LANES:SCALAR:NORMALIZED:COORDINATES:LAYERS` describes the buffer with that number.
static struct Image {
    // Width, rows, slices; where the last coordinate is a layer, its size is the number of layers.
    uint32_t size[3];
    // Numbers of a pixel, and their type: c, s and i for whole ones of 8, 16 and 32 bits, which are unsigned as capital
    // letters, h and f for those of floating point.
    uint32_t lanes, is_normalized, coordinates, has_layers;
    char scalar;
    struct Buffer *buffer;
} images[MAX_BUFFERS];

static int understood_image(const char *word)
{
    unsigned number = 0;
    struct Image image = {0};
    int read = sscanf(word, "i:%u:%" SCNu32 ":%" SCNu32 ":%" SCNu32 ":%" SCNu32 ":%c:%" SCNu32 ":%" SCNu32 ":%" SCNu32, &number,
        &image.size[0], &image.size[1], &image.size[2], &image.lanes, &image.scalar, &image.is_normalized, &image.coordinates,
        &image.has_layers);
    if (read != 9 || number >= MAX_BUFFERS)
        return 0;
    image.buffer = &buffers[number];
    images[number] = image;
    return 1;
}

static void report_here(const char *what);

void *clreduce_image(unsigned index);
void *clreduce_image(unsigned index) { return &images[index]; }
void *clreduce_sampler(unsigned index);
void *clreduce_sampler(unsigned index)
{
    uint32_t bits = 0;
    memcpy(&bits, buffers[index].value, sizeof bits);
    return (void *)(uintptr_t)bits;
}
// clang calls it for a sampler that the program writes.
void *__translate_sampler_initializer(int bits);
void *__translate_sampler_initializer(int bits) { return (void *)(uintptr_t)(unsigned)bits; }
// Makes a number of what OpenCL C does not convert.
uint64_t clreduce_identity(uint64_t value);
uint64_t clreduce_identity(uint64_t value) { return value; }

uint32_t clreduce_image_size(const struct Image *image, unsigned dimension);
uint32_t clreduce_image_size(const struct Image *image, unsigned dimension) { return image->size[dimension]; }
uint32_t clreduce_image_lanes(const struct Image *image);
uint32_t clreduce_image_lanes(const struct Image *image) { return image->lanes; }
uint32_t clreduce_image_scalar(const struct Image *image);
uint32_t clreduce_image_scalar(const struct Image *image) { return (unsigned char)image->scalar; }
uint32_t clreduce_image_layers(const struct Image *image);
uint32_t clreduce_image_layers(const struct Image *image) { return image->size[image->coordinates - 1]; }
uint32_t clreduce_is_normalized(const struct Image *image);
uint32_t clreduce_is_normalized(const struct Image *image) { return image->is_normalized; }

// Functions for floating point, for signed and for unsigned numbers each have their own formats.
void clreduce_check_format(const struct Image *image, char function);
void clreduce_check_format(const struct Image *image, char function)
{
    const char *fitting = function == 'f' ? "hf" : function == 'i' ? "csi" : "CSI";
    int is_fitting = image->is_normalized ? function == 'f' : strchr(fitting, image->scalar) != NULL;
    if (!is_fitting)
        report_here("image-use");
}

// With whole coordinates, or for whole numbers, a sampler takes the nearest pixel.
void clreduce_check_sampler(uint32_t sampler, int has_whole_coordinates);
void clreduce_check_sampler(uint32_t sampler, int has_whole_coordinates)
{
    unsigned addressing = sampler & ADDRESSING;
    int repeats = addressing == REPEAT || addressing == MIRRORED_REPEAT;
    int is_wrong = has_whole_coordinates ? sampler & (NORMALIZED | LINEAR) || repeats : sampler & LINEAR;
    if (is_wrong)
        report_here("image-use");
}

static int is_layer(const struct Image *image, unsigned dimension)
{
    return image->has_layers && dimension == image->coordinates - 1;
}

static int limited(int64_t value, int64_t most) { return (int)(value < 0 ? 0 : value > most ? most : value); }

// The place of a pixel; 0 for the border. Without a sampler, and where the sampler says so, nothing is outside.
uint64_t clreduce_pixel(const struct Image *image, uint32_t sampler, const int *at);
uint64_t clreduce_pixel(const struct Image *image, uint32_t sampler, const int *at)
{
    uint64_t number = 0;
    for (unsigned d = image->coordinates; d-- > 0;) {
        int64_t size = image->size[d], place = at[d];
        unsigned addressing = sampler & ADDRESSING;
        if (sampler && (is_layer(image, d) || (addressing && addressing != CLAMP)))
            place = limited(place, size - 1);
        if (place < 0 || place >= size) {
            if (!addressing)
                report_here("image-coordinates");
            return 0;
        }
        number = number * (uint64_t)size + (uint64_t)place;
    }
    uint64_t bytes = strchr("cC", image->scalar) ? 1 : strchr("sSh", image->scalar) ? 2 : 4;
    return (uint64_t)image->buffer->data + number * image->lanes * bytes;
}

// A coordinate in pixels, where a part of the size is meant and where the image is repeated.
static float in_pixels(float c, float size, uint32_t sampler)
{
    switch (sampler & ADDRESSING) {
    case REPEAT:
        return (c - __builtin_floorf(c)) * size;
    case MIRRORED_REPEAT:
        return __builtin_fabsf(c - 2 * __builtin_rintf(0.5f * c)) * size;
    default:
        return sampler & NORMALIZED ? c * size : c;
    }
}

// The largest whole number that is no larger, within what an image can have.
static int whole(float c) { return c != c ? 0 : c < -1e9f ? -1000000000 : c > 1e9f ? 1000000000 : (int)__builtin_floorf(c); }

static int repeated(int place, int size, uint32_t sampler)
{
    switch (sampler & ADDRESSING) {
    case REPEAT:
        return place < 0 ? place + size : place >= size ? place - size : place;
    case MIRRORED_REPEAT:
        return limited(place, size - 1);
    default:
        return place;
    }
}

// Where repetition is asked for, coordinates have to be parts of the size.
static void check_repetition(uint32_t sampler)
{
    if ((sampler & ADDRESSING) >= REPEAT && !(sampler & NORMALIZED))
        report_here("image-use");
}

// The pixel that is nearest.
void clreduce_nearest(const struct Image *image, uint32_t sampler, const float *c, int *at);
void clreduce_nearest(const struct Image *image, uint32_t sampler, const float *c, int *at)
{
    check_repetition(sampler);
    for (unsigned d = 0; d < image->coordinates; d++) {
        int size = (int)image->size[d];
        at[d] = is_layer(image, d) ? whole(__builtin_rintf(c[d]))
                                   : repeated(whole(in_pixels(c[d], (float)size, sampler)), size, sampler);
    }
}

// The pixels around a place, and the part that those behind have of it.
void clreduce_around(const struct Image *image, uint32_t sampler, const float *c, int *before, int *behind, float *part);
void clreduce_around(const struct Image *image, uint32_t sampler, const float *c, int *before, int *behind, float *part)
{
    check_repetition(sampler);
    for (unsigned d = 0; d < 3; d++) {
        before[d] = behind[d] = 0;
        part[d] = 0;
        if (d >= image->coordinates)
            continue;
        if (is_layer(image, d)) {
            before[d] = behind[d] = whole(__builtin_rintf(c[d]));
            continue;
        }
        int size = (int)image->size[d];
        float place = in_pixels(c[d], (float)size, sampler) - 0.5f;
        before[d] = repeated(whole(place), size, sampler);
        behind[d] = repeated(whole(place) + 1, size, sampler);
        part[d] = place - __builtin_floorf(place);
        // The place itself lies in the image, and half a pixel of it does not.
        if (!(sampler & ADDRESSING) && place >= -0.5f && place < (float)size - 0.5f) {
            before[d] = limited(before[d], size - 1);
            behind[d] = limited(behind[d], size - 1);
        }
    }
}
