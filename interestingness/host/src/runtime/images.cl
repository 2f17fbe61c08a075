// Images: the pixel that images.c finds is read and written here, so that it is watched as any other memory.

#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable

// From images.c. An image is the address of its description.
uint clreduce_image_size(ulong image, uint dimension);
uint clreduce_image_lanes(ulong image);
uint clreduce_image_layers(ulong image);
uint clreduce_image_scalar(ulong image);
uint clreduce_is_normalized(ulong image);
void clreduce_check_format(ulong image, char function);
void clreduce_check_sampler(uint sampler, int has_whole_coordinates);
ulong clreduce_pixel(ulong image, uint sampler, const __private int *at);
void clreduce_nearest(ulong image, uint sampler, const __private float *c, __private int *at);
void clreduce_around(ulong image, uint sampler, const __private float *c, __private int *before, __private int *behind,
    __private float *part);
uint OVER clreduce_bits(sampler_t) __asm__("clreduce_identity");

// ---- Pixels ----

#define NUMBER(T) (((const __global T *)place)[lane])

static float clreduce_float(ulong image, ulong place, uint lane)
{
    int is_normalized = clreduce_is_normalized(image);
    switch (clreduce_image_scalar(image)) {
    case 'c': return is_normalized ? __builtin_fmaxf(NUMBER(char) / 127.0f, -1.0f) : NUMBER(char);
    case 'C': return is_normalized ? NUMBER(uchar) / 255.0f : NUMBER(uchar);
    case 's': return is_normalized ? __builtin_fmaxf(NUMBER(short) / 32767.0f, -1.0f) : NUMBER(short);
    case 'S': return is_normalized ? NUMBER(ushort) / 65535.0f : NUMBER(ushort);
    case 'i': return NUMBER(int);
    case 'I': return NUMBER(uint);
    case 'h': return clreduce_from_half(NUMBER(ushort));
    default: return NUMBER(float);
    }
}

static uint clreduce_whole(ulong image, ulong place, uint lane)
{
    switch (clreduce_image_scalar(image)) {
    case 'c': return NUMBER(char);
    case 'C': return NUMBER(uchar);
    case 's': return NUMBER(short);
    case 'S':
    case 'h': return NUMBER(ushort);
    default: return NUMBER(uint);
    }
}

// Missing numbers are 0, that of the fourth is 1. Outside of the image, it is so only where a pixel has no fourth.
#define PIXEL(NAME, T, NUMBER_OF) \
    static T##4 NAME(ulong image, ulong place) \
    { \
        uint lanes = clreduce_image_lanes(image); \
        T##4 pixel = (T##4)(0, 0, 0, place || lanes < 4); \
        for (uint lane = 0; place && lane < lanes; lane++) \
            pixel[lane] = NUMBER_OF(image, place, lane); \
        return pixel; \
    }
PIXEL(clreduce_floats, float, clreduce_float)
PIXEL(clreduce_wholes, uint, clreduce_whole)

static float clreduce_rounded(float value, float low, float high)
{
    return value != value ? 0 : __builtin_rintf(__builtin_fminf(__builtin_fmaxf(value, low), high));
}

#define PUT(T) (((__global T *)place)[lane])
#define LIMITED(VALUE, LOW, HIGH) ((VALUE) < (LOW) ? (LOW) : (VALUE) > (HIGH) ? (HIGH) : (VALUE))

static void clreduce_put_floats(ulong image, ulong place, float4 pixel)
{
    for (uint lane = 0; place && lane < clreduce_image_lanes(image); lane++) {
        float value = pixel[lane];
        switch (clreduce_image_scalar(image)) {
        case 'c': PUT(char) = clreduce_rounded(value * 127, -128, 127); break;
        case 'C': PUT(uchar) = clreduce_rounded(value * 255, 0, 255); break;
        case 's': PUT(short) = clreduce_rounded(value * 32767, -32768, 32767); break;
        case 'S': PUT(ushort) = clreduce_rounded(value * 65535, 0, 65535); break;
        case 'h': PUT(ushort) = clreduce_to_half(value, RTE); break;
        default: PUT(float) = value;
        }
    }
}

static void clreduce_put_signed(ulong image, ulong place, int4 pixel)
{
    for (uint lane = 0; place && lane < clreduce_image_lanes(image); lane++) {
        int value = pixel[lane];
        switch (clreduce_image_scalar(image)) {
        case 'c': PUT(char) = LIMITED(value, -128, 127); break;
        case 's': PUT(short) = LIMITED(value, -32768, 32767); break;
        case 'i': PUT(int) = value;
        }
    }
}

static void clreduce_put_unsigned(ulong image, ulong place, uint4 pixel)
{
    for (uint lane = 0; place && lane < clreduce_image_lanes(image); lane++) {
        uint value = pixel[lane];
        switch (clreduce_image_scalar(image)) {
        case 'C': PUT(uchar) = LIMITED(value, 0, 255); break;
        case 'S': PUT(ushort) = LIMITED(value, 0, 65535); break;
        case 'I': PUT(uint) = value;
        }
    }
}

// ---- Places ----

static ulong clreduce_at(ulong image, uint sampler, int4 c)
{
    int at[3] = {c.x, c.y, c.z};
    return clreduce_pixel(image, sampler, at);
}

static ulong clreduce_near(ulong image, uint sampler, float4 c)
{
    float place[3] = {c.x, c.y, c.z};
    int at[3] = {0, 0, 0};
    clreduce_nearest(image, sampler, place, at);
    return clreduce_pixel(image, sampler, at);
}

// A mixture of the pixels around a place.
static float4 clreduce_mixed(ulong image, uint sampler, float4 c)
{
    float place[3] = {c.x, c.y, c.z}, part[3];
    int before[3], behind[3];
    clreduce_around(image, sampler, place, before, behind, part);
    float4 sum = 0;
    for (int corner = 0; corner < 8; corner++) {
        float weight = 1;
        int at[3];
        for (int d = 0; d < 3; d++) {
            int is_behind = corner >> d & 1;
            weight *= is_behind ? part[d] : 1 - part[d];
            at[d] = is_behind ? behind[d] : before[d];
        }
        if (weight != 0)
            sum += weight * clreduce_floats(image, clreduce_pixel(image, sampler, at));
    }
    return sum;
}

static float4 clreduce_sampled(ulong image, uint sampler, float4 c)
{
    clreduce_check_format(image, 'f');
    // CLK_FILTER_LINEAR
    if (sampler & 0x20)
        return clreduce_mixed(image, sampler, c);
    return clreduce_floats(image, clreduce_near(image, sampler, c));
}

static uint4 clreduce_sampled_wholes(ulong image, uint sampler, float4 c, char function)
{
    clreduce_check_format(image, function);
    clreduce_check_sampler(sampler, 0);
    return clreduce_wholes(image, clreduce_near(image, sampler, c));
}

// The number of the sampler is 0 if there is none.
static float4 clreduce_read(ulong image, uint sampler, int4 c)
{
    clreduce_check_format(image, 'f');
    if (sampler)
        clreduce_check_sampler(sampler, 1);
    return clreduce_floats(image, clreduce_at(image, sampler, c));
}

static uint4 clreduce_read_wholes(ulong image, uint sampler, int4 c, char function)
{
    clreduce_check_format(image, function);
    if (sampler)
        clreduce_check_sampler(sampler, 1);
    return clreduce_wholes(image, clreduce_at(image, sampler, c));
}

// ---- Functions ----

#define SPREAD1(T, C) (T##4)(C, 0, 0, 0)
#define SPREAD2(T, C) (T##4)(C, 0, 0)
#define SPREAD4(T, C) (C)

#define SIZES(Q, IMAGE) \
    ulong OVER clreduce_of(Q IMAGE) __asm__("clreduce_identity"); \
    int OVER get_image_width(Q IMAGE i) { return clreduce_image_size(clreduce_of(i), 0); } \
    int OVER get_image_channel_data_type(Q IMAGE i) { return clreduce_data_type(clreduce_of(i)); } \
    int OVER get_image_channel_order(Q IMAGE i) { return clreduce_order(clreduce_of(i)); }
#define HEIGHT(Q, IMAGE) \
    int OVER get_image_height(Q IMAGE i) { return clreduce_image_size(clreduce_of(i), 1); }
#define LAYERS(Q, IMAGE) \
    size_t OVER get_image_array_size(Q IMAGE i) { return clreduce_image_layers(clreduce_of(i)); }
#define DIMENSIONS2(Q, IMAGE) \
    int2 OVER get_image_dim(Q IMAGE i) { return (int2)(get_image_width(i), get_image_height(i)); }
#define DEPTH(Q, IMAGE) \
    int OVER get_image_depth(Q IMAGE i) { return clreduce_image_size(clreduce_of(i), 2); } \
    int4 OVER get_image_dim(Q IMAGE i) { return (int4)(get_image_width(i), get_image_height(i), get_image_depth(i), 0); }

#define READ(Q, IMAGE, C, N) \
    float4 OVER read_imagef(Q IMAGE i, C c) { return clreduce_read(clreduce_of(i), 0, SPREAD##N(int, c)); } \
    int4 OVER read_imagei(Q IMAGE i, C c) { return as_int4(clreduce_read_wholes(clreduce_of(i), 0, SPREAD##N(int, c), 'i')); } \
    uint4 OVER read_imageui(Q IMAGE i, C c) { return clreduce_read_wholes(clreduce_of(i), 0, SPREAD##N(int, c), 'u'); }
#define WRITE(Q, IMAGE, C, N) \
    void OVER write_imagef(Q IMAGE i, C c, float4 v) \
    { \
        clreduce_check_format(clreduce_of(i), 'f'); \
        clreduce_put_floats(clreduce_of(i), clreduce_at(clreduce_of(i), 0, SPREAD##N(int, c)), v); \
    } \
    void OVER write_imagei(Q IMAGE i, C c, int4 v) \
    { \
        clreduce_check_format(clreduce_of(i), 'i'); \
        clreduce_put_signed(clreduce_of(i), clreduce_at(clreduce_of(i), 0, SPREAD##N(int, c)), v); \
    } \
    void OVER write_imageui(Q IMAGE i, C c, uint4 v) \
    { \
        clreduce_check_format(clreduce_of(i), 'u'); \
        clreduce_put_unsigned(clreduce_of(i), clreduce_at(clreduce_of(i), 0, SPREAD##N(int, c)), v); \
    }
#define SAMPLE(IMAGE, C, F, N) \
    float4 OVER read_imagef(read_only IMAGE i, sampler_t s, C c) \
    { return clreduce_read(clreduce_of(i), clreduce_bits(s), SPREAD##N(int, c)); } \
    int4 OVER read_imagei(read_only IMAGE i, sampler_t s, C c) \
    { return as_int4(clreduce_read_wholes(clreduce_of(i), clreduce_bits(s), SPREAD##N(int, c), 'i')); } \
    uint4 OVER read_imageui(read_only IMAGE i, sampler_t s, C c) \
    { return clreduce_read_wholes(clreduce_of(i), clreduce_bits(s), SPREAD##N(int, c), 'u'); } \
    float4 OVER read_imagef(read_only IMAGE i, sampler_t s, F c) \
    { return clreduce_sampled(clreduce_of(i), clreduce_bits(s), SPREAD##N(float, c)); } \
    int4 OVER read_imagei(read_only IMAGE i, sampler_t s, F c) \
    { return as_int4(clreduce_sampled_wholes(clreduce_of(i), clreduce_bits(s), SPREAD##N(float, c), 'i')); } \
    uint4 OVER read_imageui(read_only IMAGE i, sampler_t s, F c) \
    { return clreduce_sampled_wholes(clreduce_of(i), clreduce_bits(s), SPREAD##N(float, c), 'u'); }

#define EACH(M, IMAGE) M(read_only, IMAGE) M(write_only, IMAGE) M(read_write, IMAGE)
#define ACCESSES(IMAGE, C, N) \
    EACH(SIZES, IMAGE) \
    READ(read_only, IMAGE, C, N) READ(read_write, IMAGE, C, N) \
    WRITE(write_only, IMAGE, C, N) WRITE(read_write, IMAGE, C, N)

// The numbers of OpenCL for the formats.
static int clreduce_order(ulong image)
{
    uint lanes = clreduce_image_lanes(image);
    return lanes == 1 ? CLK_R : lanes == 2 ? CLK_RG : CLK_RGBA;
}

static int clreduce_data_type(ulong image)
{
    int is_normalized = clreduce_is_normalized(image);
    switch (clreduce_image_scalar(image)) {
    case 'c': return is_normalized ? CLK_SNORM_INT8 : CLK_SIGNED_INT8;
    case 'C': return is_normalized ? CLK_UNORM_INT8 : CLK_UNSIGNED_INT8;
    case 's': return is_normalized ? CLK_SNORM_INT16 : CLK_SIGNED_INT16;
    case 'S': return is_normalized ? CLK_UNORM_INT16 : CLK_UNSIGNED_INT16;
    case 'i': return CLK_SIGNED_INT32;
    case 'I': return CLK_UNSIGNED_INT32;
    case 'h': return CLK_HALF_FLOAT;
    default: return CLK_FLOAT;
    }
}

ACCESSES(image1d_t, int, 1) SAMPLE(image1d_t, int, float, 1)
ACCESSES(image1d_buffer_t, int, 1)
ACCESSES(image1d_array_t, int2, 2) SAMPLE(image1d_array_t, int2, float2, 2) EACH(LAYERS, image1d_array_t)
ACCESSES(image2d_t, int2, 2) SAMPLE(image2d_t, int2, float2, 2) EACH(HEIGHT, image2d_t) EACH(DIMENSIONS2, image2d_t)
ACCESSES(image2d_array_t, int4, 4) SAMPLE(image2d_array_t, int4, float4, 4)
EACH(HEIGHT, image2d_array_t) EACH(DIMENSIONS2, image2d_array_t) EACH(LAYERS, image2d_array_t)
ACCESSES(image3d_t, int4, 4) SAMPLE(image3d_t, int4, float4, 4) EACH(HEIGHT, image3d_t) EACH(DEPTH, image3d_t)
