/* A libcuda.so.1 without a GPU: it checks arguments as the driver does, keeps device memory in host
   memory, and writes every call to a file. Source: CUDA driver API.

   The environment has its settings: STUB_LOG, the file of calls; STUB_KERNELS, a file of kernels; and
     STUB_CAPABILITY=9.0  STUB_VERSION=13000  STUB_MEMORY=bytes  STUB_NAME=text  STUB_DEVICES=1
     STUB_BUSY=times that the stream is not ready after a launch
     STUB_FAIL=function:status    STUB_FAULT=kernel:status    STUB_HANG=kernel
     STUB_LACKS=function, which cuGetProcAddress does not find
   A line of the file of kernels: the CRC of the image in hexadecimal, the name, bytes of static shared
   memory, the block and the cluster (0 0 0 where it is open), whether the grid counts clusters, and
   offset:size of each parameter. Kernels of other images have parameters that are not known.

   `scale(x, n, by)` is computed: it multiplies n floats. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, NO_DEVICE = 100,
    INVALID_DEVICE = 101, INVALID_IMAGE = 200, INVALID_CONTEXT = 201, INVALID_HANDLE = 400,
    NOT_FOUND = 500, NOT_READY = 600, CAPTURE_UNSUPPORTED = 900, INVALID_CLUSTER_SIZE = 912
};

static const struct { int status; const char *name, *text; } STATUSES[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    {912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "invalid cluster configuration"},
};

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define TRY(call) do { int status_ = (call); if (status_) return status_; } while (0)
#define REQUIRE(condition) do { if (!(condition)) return refused(#condition, INVALID_VALUE); } while (0)

typedef unsigned long long u64;
typedef struct { u64 address, size; } Allocation;
typedef struct { unsigned offset, size; } Parameter;
typedef struct Module { unsigned crc; const char *image; u64 size; } Module;
typedef struct {
    char name[256];
    unsigned shared, block[3], cluster[3], counts_clusters, count, known;
    Parameter parameters[64];
    unsigned opted_in, non_portable;
} Function;
typedef struct {
    unsigned grid[3], block[3], shared, cluster[3];
    Function *function;
    void **values;
    u64 fill[3];
} Launch;
typedef struct { int count; Launch launches[4096]; } Graph;
typedef struct { int recorded; double time; } Event;
typedef struct { Graph *captured; } Stream;
typedef struct {
    unsigned grid[3], block[3], shared;
    Stream *stream;
    struct { int id; char pad[4]; unsigned value[16]; } *attributes;
    unsigned count;
} Config;

static int initialized, sticky, hanging, busy;
static double now;
static __thread void *context;
static Allocation allocations[4096];
static int allocation_count;
static u64 used;

/* Settings and records. */

static const char *setting(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value ? value : otherwise;
}

static void record(const char *format, ...) {
    const char *path = setting("STUB_LOG", "");
    if (!*path) return;
    FILE *file = fopen(path, "a");
    va_list arguments;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fputc('\n', file);
    fclose(file);
}

static int refused(const char *what, int status) {
    record("refused: %s", what);
    return status;
}

/* The status after the colon of a setting whose text before it is a name. */
static int told(const char *variable, const char *name) {
    const char *value = setting(variable, ""), *colon = strchr(value, ':');
    if (!colon || strlen(name) != (size_t)(colon - value)) return 0;
    return strncmp(value, name, colon - value) ? 0 : atoi(colon + 1);
}

static int enter(const char *function, int needs_context) {
    TRY(told("STUB_FAIL", function));
    if (!initialized) return refused(function, NOT_INITIALIZED);
    if (needs_context && !context) return refused(function, INVALID_CONTEXT);
    return sticky;
}

#define ENTER(needs_context, format, ...)                                  \
    do {                                                                   \
        record("%s " format, __func__, __VA_ARGS__);                       \
        TRY(enter(__func__, needs_context));                               \
    } while (0)

/* Devices. */

int cuInit(unsigned flags) {
    record("cuInit %u", flags);
    TRY(told("STUB_FAIL", "cuInit"));
    if (!atoi(setting("STUB_DEVICES", "1"))) return NO_DEVICE;
    initialized = 1;
    return SUCCESS;
}

int cuDriverGetVersion(int *version) {
    *version = atoi(setting("STUB_VERSION", "13000"));
    return SUCCESS;
}

int cuGetErrorName(int status, const char **name) {
    for (size_t i = 0; i < LENGTH(STATUSES); i++)
        if (STATUSES[i].status == status) return *name = STATUSES[i].name, SUCCESS;
    return *name = NULL, INVALID_VALUE;
}

int cuGetErrorString(int status, const char **text) {
    for (size_t i = 0; i < LENGTH(STATUSES); i++)
        if (STATUSES[i].status == status) return *text = STATUSES[i].text, SUCCESS;
    return *text = NULL, INVALID_VALUE;
}

int cuDeviceGetCount(int *count) {
    ENTER(0, "", 0);
    *count = atoi(setting("STUB_DEVICES", "1"));
    return SUCCESS;
}

int cuDeviceGet(int *device, int number) {
    ENTER(0, "%d", number);
    if (number < 0 || number >= atoi(setting("STUB_DEVICES", "1"))) return INVALID_DEVICE;
    *device = number;
    return SUCCESS;
}

int cuDeviceGetName(char *name, int length, int device) {
    ENTER(0, "%d %d", length, device);
    /* As the driver: nothing is written behind the NUL. */
    snprintf(name, length, "%s", setting("STUB_NAME", "a stub"));
    return SUCCESS;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
    ENTER(0, "%d %d", attribute, device);
    const char *capability = setting("STUB_CAPABILITY", "9.0");
    switch (attribute) {
    case 16: return *value = 132, SUCCESS;
    case 38: return *value = 50 << 20, SUCCESS;
    case 75: return *value = atoi(capability), SUCCESS;
    case 76: return *value = atoi(strchr(capability, '.') + 1), SUCCESS;
    case 97: return *value = 227 << 10, SUCCESS;
    default: return refused("attribute", INVALID_VALUE);
    }
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    ENTER(0, "%d", device);
    *bytes = strtoull(setting("STUB_MEMORY", "85899345920"), NULL, 10);
    return SUCCESS;
}

int cuDevicePrimaryCtxRetain(void **found, int device) {
    ENTER(0, "%d", device);
    *found = &initialized;
    return SUCCESS;
}

int cuCtxSetCurrent(void *given) {
    ENTER(0, "%d", given != NULL);
    if (given && given != &initialized) return refused("context", INVALID_CONTEXT);
    context = given;
    return SUCCESS;
}

/* Memory. */

static Allocation *within(u64 address, u64 size) {
    for (int i = 0; i < allocation_count; i++) {
        Allocation *each = &allocations[i];
        if (each->address <= address && address + size <= each->address + each->size) return each;
    }
    return NULL;
}

int cuMemAlloc_v2(u64 *address, size_t size) {
    ENTER(1, "%zu", size);
    REQUIRE(size > 0);
    size_t total;
    cuDeviceTotalMem_v2(&total, 0);
    if (used + size > total || allocation_count == LENGTH(allocations)) return OUT_OF_MEMORY;
    void *memory = aligned_alloc(256, (size + 511) / 256 * 256);
    if (!memory) return OUT_OF_MEMORY;
    memset(memory, 0xA5, size);
    *address = (u64)memory;
    allocations[allocation_count++] = (Allocation){*address, size};
    used += size;
    return SUCCESS;
}

int cuMemFree_v2(u64 address) {
    ENTER(1, "", 0);
    Allocation *found = within(address, 0);
    REQUIRE(found && found->address == address);
    used -= found->size;
    *found = allocations[--allocation_count];
    free((void *)address);
    return SUCCESS;
}

int cuMemcpyHtoD_v2(u64 to, const void *from, size_t size) {
    ENTER(1, "%zu", size);
    REQUIRE(within(to, size));
    memcpy((void *)to, from, size);
    return SUCCESS;
}

int cuMemcpyDtoH_v2(void *to, u64 from, size_t size) {
    ENTER(1, "%zu", size);
    REQUIRE(within(from, size));
    memcpy(to, (void *)from, size);
    return SUCCESS;
}

int cuMemcpyDtoD_v2(u64 to, u64 from, size_t size) {
    ENTER(1, "%zu", size);
    REQUIRE(within(to, size));
    REQUIRE(within(from, size));
    memmove((void *)to, (void *)from, size);
    return SUCCESS;
}

/* Modules. */

static unsigned crc32_of(const unsigned char *data, u64 size) {
    unsigned crc = ~0u;
    for (u64 i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0xEDB88320u & -(crc & 1));
    }
    return ~crc;
}

static u64 number_at(const char *image, int offset, int bytes) {
    u64 value = 0;
    memcpy(&value, image + offset, bytes);
    return value;
}

/* The bytes of an ELF file up to the end of its last table. */
static u64 image_size(const char *image) {
    u64 sections = number_at(image, 0x28, 8) + number_at(image, 0x3A, 2) * number_at(image, 0x3C, 2);
    u64 segments = number_at(image, 0x20, 8) + number_at(image, 0x36, 2) * number_at(image, 0x38, 2);
    u64 end = sections > segments ? sections : segments;
    return end > 64 ? end : 64;
}

int cuModuleLoadData(Module **module, const char *image) {
    ENTER(1, "", 0);
    if (memcmp(image, "\x7f" "ELF", 4)) return refused("image", INVALID_IMAGE);
    *module = calloc(1, sizeof(Module));
    (*module)->image = image;
    (*module)->size = image_size(image);
    (*module)->crc = crc32_of((const unsigned char *)image, (*module)->size);
    return SUCCESS;
}

int cuModuleUnload(Module *module) {
    ENTER(1, "", 0);
    free(module);
    return SUCCESS;
}

static void read_kernel(const Module *module, Function *function) {
    const char *path = setting("STUB_KERNELS", "");
    FILE *file = *path ? fopen(path, "r") : NULL;
    char line[8192], name[256];
    while (file && fgets(line, sizeof line, file)) {
        Function *f = function;
        unsigned crc;
        int end, next;
        if (sscanf(line, "%x %255s %u %u %u %u %u %u %u %u%n", &crc, name, &f->shared, &f->block[0],
                   &f->block[1], &f->block[2], &f->cluster[0], &f->cluster[1], &f->cluster[2],
                   &f->counts_clusters, &end) != 10) abort();
        if (crc != module->crc || strcmp(name, f->name)) continue;
        Parameter *p = f->parameters;
        for (; sscanf(line + end, " %u:%u%n", &p->offset, &p->size, &next) == 2; end += next) p++;
        f->count = p - f->parameters;
        f->known = 1;
        break;
    }
    if (!function->known) memset(function->block, 0, (char *)function->parameters - (char *)function->block);
    if (file) fclose(file);
}

int cuModuleGetFunction(Function **function, Module *module, const char *name) {
    ENTER(1, "%s", name);
    char section[300];
    int length = snprintf(section, sizeof section, ".text.%s", name);
    if (!memmem(module->image, module->size, section, length + 1)) return NOT_FOUND;
    *function = calloc(1, sizeof(Function));
    snprintf((*function)->name, sizeof (*function)->name, "%s", name);
    read_kernel(module, *function);
    /* Both kinds of shared memory share what a block has without asking. */
    unsigned fixed = (*function)->shared;
    (*function)->opted_in = fixed < 48 << 10 ? (48 << 10) - fixed : 0;
    return SUCCESS;
}

int cuFuncSetAttribute(Function *function, int attribute, int value) {
    ENTER(1, "%s %d %d", function->name, attribute, value);
    switch (attribute) {
    case 8:
        REQUIRE(value >= 0 && function->shared + value <= 227 << 10);
        return function->opted_in = value, SUCCESS;
    case 14: return function->non_portable = value, SUCCESS;
    default: return refused("attribute", INVALID_VALUE);
    }
}

int cuFuncGetParamInfo(Function *function, size_t index, size_t *offset, size_t *size) {
    ENTER(1, "%s %zu", function->name, index);
    if (!function->known) return NOT_FOUND;
    if (index >= function->count) return INVALID_VALUE;
    *offset = function->parameters[index].offset;
    *size = function->parameters[index].size;
    return SUCCESS;
}

/* Tensor maps: a map holds what it was made from, for tests to read. */

static const int ELEMENT_BYTES[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
static const unsigned SPANS[] = {0, 32, 64, 128};

static int encode(unsigned *map, int type, unsigned rank, u64 address, const u64 *extents,
                  const u64 *strides, const unsigned *box, unsigned box_rank, const unsigned *steps,
                  int interleave, unsigned swizzle, int promotion, int fill) {
    REQUIRE((u64)map % 64 == 0);
    REQUIRE(0 <= type && type < (int)LENGTH(ELEMENT_BYTES) && 1 <= rank && rank <= 5);
    REQUIRE(address % 16 == 0 && within(address, 1));
    REQUIRE(interleave == 0 && swizzle < LENGTH(SPANS) && 0 <= promotion && promotion <= 3);
    REQUIRE(fill == 0 || (fill == 1 && type >= 6));
    memset(map, 0, 128);
    memcpy(map, (unsigned[]){type, rank, swizzle, promotion, fill, 0, address, address >> 32}, 32);
    for (unsigned i = 0; i < rank; i++) {
        REQUIRE(1 <= extents[i] && extents[i] <= 1ull << 32 && 1 <= steps[i] && steps[i] <= 8);
        map[8 + i] = extents[i];
        map[22 + i] = steps[i];
        if (i + 1 == rank) break;
        REQUIRE(strides[i] % 16 == 0 && strides[i] && strides[i] < 1ull << 40);
        map[13 + i] = strides[i];
    }
    for (unsigned i = 0; i < box_rank; i++) {
        REQUIRE(1 <= box[i] && box[i] <= (box_rank == rank ? 256 : 1024));
        map[17 + i] = box[i];
    }
    unsigned row = box[0] * ELEMENT_BYTES[type];
    REQUIRE(row % 16 == 0 && (!swizzle || row <= SPANS[swizzle]));
    return SUCCESS;
}

int cuTensorMapEncodeTiled(unsigned *map, int type, unsigned rank, u64 address, const u64 *extents,
                           const u64 *strides, const unsigned *box, const unsigned *steps,
                           int interleave, int swizzle, int promotion, int fill) {
    ENTER(0, "%d %u", type, rank);
    return encode(map, type, rank, address, extents, strides, box, rank, steps, interleave, swizzle,
                  promotion, fill);
}

int cuTensorMapEncodeIm2col(unsigned *map, int type, unsigned rank, u64 address, const u64 *extents,
                            const u64 *strides, const int *lower, const int *upper,
                            unsigned channels, unsigned pixels, const unsigned *steps,
                            int interleave, int swizzle, int promotion, int fill) {
    ENTER(0, "%d %u", type, rank);
    REQUIRE(rank >= 3);
    unsigned box[] = {channels, pixels};
    TRY(encode(map, type, rank, address, extents, strides, box, 2, steps, interleave, swizzle,
               promotion, fill));
    for (unsigned i = 0; i + 2 < rank; i++) map[27 + i] = (lower[i] & 0xFFFF) | upper[i] << 16;
    return SUCCESS;
}

/* Launches. */

static int check(const Launch *launch) {
    const Function *function = launch->function;
    const unsigned *grid = launch->grid, *block = launch->block, *cluster = launch->cluster;
    REQUIRE(grid[0] && grid[0] < 1u << 31 && grid[1] && grid[1] < 1 << 16 && grid[2] && grid[2] < 1 << 16);
    REQUIRE(block[0] && block[1] && block[2] && block[2] <= 64 && block[0] * block[1] * block[2] <= 1024);
    REQUIRE(launch->shared <= function->opted_in);
    REQUIRE(function->shared + launch->shared <= 227 << 10 && function->shared <= 48 << 10);
    int single = function->counts_clusters && block[0] == 1 && block[1] == 1 && block[2] == 1;
    REQUIRE(!function->block[0] || single || !memcmp(block, function->block, sizeof function->block));
    if (function->cluster[0]) {
        REQUIRE(!cluster[0] || !memcmp(cluster, function->cluster, sizeof function->cluster));
        cluster = function->cluster;
    }
    if (!cluster[0]) return SUCCESS;
    if (cluster[0] * cluster[1] * cluster[2] > (function->non_portable ? 16 : 8))
        return refused("cluster", INVALID_CLUSTER_SIZE);
    for (int i = 0; i < 3; i++) REQUIRE(function->counts_clusters || grid[i] % cluster[i] == 0);
    return SUCCESS;
}

static void execute(const Launch *launch) {
    if (!launch->function) {
        memset((void *)launch->fill[0], launch->fill[1], launch->fill[2]);
        return;
    }
    const char *name = launch->function->name;
    char text[8192], *end = text + sprintf(text, "%s", "");
    for (unsigned i = 0; i < launch->function->count; i++) {
        const Parameter *p = &launch->function->parameters[i];
        end += sprintf(end, " ");
        for (unsigned k = 0; k < p->size && k < 128; k++)
            end += sprintf(end, "%02x", ((unsigned char *)launch->values[i])[k]);
    }
    record("executed %s grid %u %u %u block %u %u %u shared %u cluster %u %u %u%s", name,
           launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0], launch->block[1],
           launch->block[2], launch->shared, launch->cluster[0], launch->cluster[1],
           launch->cluster[2], text);
    now += 0.5;
    busy = atoi(setting("STUB_BUSY", "0"));
    if (!strcmp(name, setting("STUB_HANG", ""))) hanging = 1;
    int fault = told("STUB_FAULT", name);
    if (fault) sticky = fault;
    if (strcmp(name, "scale")) return;
    float *x = *(float **)launch->values[0], by = *(float *)launch->values[2];
    int n = *(int *)launch->values[1];
    if (!within((u64)x, 4ull * n)) sticky = 700;
    else for (int i = 0; i < n; i++) x[i] *= by;
}

static int start(Launch launch, Stream *stream, void **values) {
    if (launch.function) TRY(check(&launch));
    unsigned count = launch.function ? launch.function->count : 0;
    REQUIRE(!count || values);
    if (!stream || !stream->captured) {
        launch.values = values;
        return execute(&launch), SUCCESS;
    }
    Graph *graph = stream->captured;
    REQUIRE(graph->count < (int)LENGTH(graph->launches));
    /* The values are copied when a launch is captured. */
    launch.values = calloc(count + 1, sizeof(void *));
    for (unsigned i = 0; i < count; i++) {
        launch.values[i] = malloc(launch.function->parameters[i].size);
        memcpy(launch.values[i], values[i], launch.function->parameters[i].size);
    }
    graph->launches[graph->count++] = launch;
    return SUCCESS;
}

int cuLaunchKernel(Function *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                   unsigned by, unsigned bz, unsigned shared, Stream *stream, void **values,
                   void **extra) {
    ENTER(1, "%s %d", function->name, stream != NULL);
    REQUIRE(!extra);
    Launch launch = {.grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared, .function = function};
    return start(launch, stream, values);
}

int cuLaunchKernelEx(const Config *config, Function *function, void **values, void **extra) {
    ENTER(1, "%s %u", function->name, config->count);
    REQUIRE(!extra);
    Launch launch = {.shared = config->shared, .function = function};
    memcpy(launch.grid, config->grid, sizeof launch.grid);
    memcpy(launch.block, config->block, sizeof launch.block);
    for (unsigned i = 0; i < config->count; i++) {
        REQUIRE(config->attributes[i].id == 4);
        memcpy(launch.cluster, config->attributes[i].value, sizeof launch.cluster);
    }
    return start(launch, config->stream, values);
}

int cuMemsetD8Async(u64 to, unsigned char value, size_t size, Stream *stream) {
    ENTER(1, "%u %zu %d", value, size, stream != NULL);
    REQUIRE(within(to, size));
    Launch launch = {.fill = {to, value, size}};
    return start(launch, stream, NULL);
}

/* Streams, graphs and events. */

int cuStreamCreate(Stream **stream, unsigned flags) {
    ENTER(1, "%u", flags);
    *stream = calloc(1, sizeof(Stream));
    return SUCCESS;
}

int cuStreamDestroy_v2(Stream *stream) {
    ENTER(1, "", 0);
    if (!stream) return INVALID_HANDLE;
    free(stream);
    return SUCCESS;
}

int cuStreamQuery(Stream *stream) {
    ENTER(1, "%d", stream != NULL);
    if (stream && stream->captured) return CAPTURE_UNSUPPORTED;
    if (hanging || busy-- > 0) return NOT_READY;
    return SUCCESS;
}

int cuStreamBeginCapture_v2(Stream *stream, int mode) {
    ENTER(1, "%d", mode);
    if (!stream) return refused("default stream", CAPTURE_UNSUPPORTED);
    REQUIRE(0 <= mode && mode <= 2 && !stream->captured);
    stream->captured = calloc(1, sizeof(Graph));
    return SUCCESS;
}

int cuStreamEndCapture(Stream *stream, Graph **graph) {
    ENTER(1, "", 0);
    REQUIRE(stream && stream->captured);
    *graph = stream->captured;
    stream->captured = NULL;
    return SUCCESS;
}

int cuGraphInstantiateWithFlags(Graph **executable, Graph *graph, u64 flags) {
    ENTER(1, "%llu", flags);
    *executable = malloc(sizeof(Graph));
    **executable = *graph;
    return SUCCESS;
}

int cuGraphLaunch(Graph *executable, Stream *stream) {
    ENTER(1, "%d %d", executable->count, stream != NULL);
    for (int i = 0; i < executable->count; i++) execute(&executable->launches[i]);
    return SUCCESS;
}

int cuGraphExecDestroy(Graph *executable) {
    ENTER(1, "", 0);
    free(executable);
    return SUCCESS;
}

int cuGraphDestroy(Graph *graph) {
    ENTER(1, "", 0);
    free(graph);
    return SUCCESS;
}

int cuEventCreate(Event **event, unsigned flags) {
    ENTER(1, "%u", flags);
    *event = calloc(1, sizeof(Event));
    return SUCCESS;
}

int cuEventRecord(Event *event, Stream *stream) {
    ENTER(1, "%d", stream != NULL);
    event->recorded = 1;
    event->time = now;
    return SUCCESS;
}

int cuEventElapsedTime_v2(float *milliseconds, Event *first, Event *last) {
    ENTER(1, "", 0);
    if (!first->recorded || !last->recorded) return INVALID_HANDLE;
    if (hanging || busy > 0) return NOT_READY;
    *milliseconds = last->time - first->time;
    return SUCCESS;
}

int cuEventElapsedTime(float *milliseconds, Event *first, Event *last) {
    return cuEventElapsedTime_v2(milliseconds, first, last);
}

int cuEventDestroy_v2(Event *event) {
    ENTER(1, "", 0);
    free(event);
    return SUCCESS;
}

/* The newest version of a function, under the name without its number. */
int cuGetProcAddress_v2(const char *name, void **found, int version, u64 flags, int *status) {
    (void)version, (void)flags;
    Dl_info own;
    dladdr((void *)cuInit, &own);
    void *library = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    char newer[128];
    snprintf(newer, sizeof newer, "%s_v2", name);
    *found = strcmp(name, setting("STUB_LACKS", "")) ? dlsym(library, newer) : NULL;
    if (!*found && strcmp(name, setting("STUB_LACKS", ""))) *found = dlsym(library, name);
    if (status) *status = !*found;
    return *found ? SUCCESS : NOT_FOUND;
}
