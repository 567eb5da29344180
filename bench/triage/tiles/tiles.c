/* tiles: reads a small image format made of chunks, and prints what is in it.
 *
 *   "TILE" version(1)  then chunks: tag(4) length(2, big endian) content
 *   HEAD: width(2) height(2) depth(1)    PALT: count(1) rgb*count    DATA: compression(1) bytes
 *   TEXT: key 0 value                    CROP: left top right bottom (2 each)
 *   FILT: kind(1) count(1) weights       TIME: year(2) month day hour minute
 *   ANIM: frames(1) { offset(2) delay(1) }  LINK: name 0
 *
 * Written for bench/triage: bugs.toml puts realistic bugs into it.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *__asan_default_options(void) { return "detect_leaks=0:allocator_may_return_null=0"; }

typedef unsigned char byte;

typedef struct {
  int width, height, depth;
  byte *pixels;
  int pixel_count;
  byte *palette;
  int palette_count;
  int frames;
  int *offsets;
  char title[32];
  int crop[4];
} Image;

typedef struct {
  const byte *data;
  int length, at;
} Reader;

static void refuse(const char *why) {
  fprintf(stderr, "error: malformed file: %s\n", why);
  exit(1);
}

static int get8(Reader *r) {
  if (r->at >= r->length) refuse("a chunk is too short");
  return r->data[r->at++];
}

static int get16(Reader *r) {
  int high = get8(r);
  return high << 8 | get8(r);
}

static void read_head(Image *image, Reader *r) {
  image->width = get16(r);
  image->height = get16(r);
  image->depth = get8(r);
  if (image->width == 0 || image->height == 0) refuse("an empty image");
  if (image->width > 512 || image->height > 512) refuse("the image is too large");
  if (image->depth != 1 && image->depth != 2 && image->depth != 4) refuse("bad depth");
  if (image->pixels) refuse("two heads");
  image->pixel_count = image->width * image->height;
  image->pixels = calloc(image->pixel_count, 1);
}

static void read_palette(Image *image, Reader *r) {
  int count = get8(r);
  if (image->palette) refuse("two palettes");
  if (count == 0) refuse("an empty palette");
  image->palette = malloc(count * 3);
  image->palette_count = count;
  for (int i = 0; i < count * 3; i++) image->palette[i] = get8(r);
}

static void unpack_plain(Image *image, Reader *r) {
  int count = r->length - r->at;
  if (count > image->pixel_count) refuse("too many pixels");
  memcpy(image->pixels, r->data + r->at, count);
}

static void unpack_runs(Image *image, Reader *r) {
  int out = 0;
  while (r->at < r->length) {
    int count = get8(r), value = get8(r);
    if (out + count > image->pixel_count) refuse("a run is too long");
    memset(image->pixels + out, value, count);
    out += count;
  }
}

static void unpack_copies(Image *image, Reader *r) {
  int out = 0;
  while (r->at < r->length) {
    int control = get8(r);
    if (control & 0x80) {
      int back = get8(r), count = control & 0x7f;
      if (back == 0 || back > out) refuse("a copy from before the beginning");
      if (out + count > image->pixel_count) refuse("a copy is too long");
      for (int i = 0; i < count; i++, out++) image->pixels[out] = image->pixels[out - back];
    } else {
      if (out >= image->pixel_count) refuse("too many pixels");
      image->pixels[out++] = control;
    }
  }
}

static void read_data(Image *image, Reader *r) {
  if (!image->pixels) refuse("data before the head");
  int compression = get8(r);
  if (compression == 0) unpack_plain(image, r);
  else if (compression == 1) unpack_runs(image, r);
  else if (compression == 2) unpack_copies(image, r);
  else refuse("unknown compression");
}

static void read_text(Image *image, Reader *r) {
  const char *key = (const char *)r->data + r->at;
  int left = r->length - r->at;
  int end = strnlen(key, left);
  if (end == left) refuse("a text without a key");
  const char *value = key + end + 1;
  int count = left - end - 1;
  if (!strcmp(key, "title")) {
    if (count >= 32) count = 31;
    memcpy(image->title, value, count);
    image->title[count] = 0;
  }
  if (!strcmp(key, "ratio")) {
    int a = count > 0 ? value[0] : 1, b = count > 1 ? value[1] : 1;
    if (b == 0) refuse("a bad ratio");
    printf("ratio %d\n", a / b);
  }
}

static void read_crop(Image *image, Reader *r) {
  for (int i = 0; i < 4; i++) image->crop[i] = get16(r);
  int *c = image->crop;
  if (!image->pixels) refuse("a crop before the head");
  if (c[0] >= c[2] || c[1] >= c[3]) refuse("an empty crop");
  if (c[2] > image->width || c[3] > image->height) refuse("a crop outside of the image");
  int count = (c[2] - c[0]) * (c[3] - c[1]);
  byte *kept = malloc(count);
  int n = 0;
  for (int y = c[1]; y < c[3]; y++)
    for (int x = c[0]; x < c[2]; x++) kept[n++] = image->pixels[y * image->width + x];
  free(image->pixels);
  image->pixels = kept;
  image->pixel_count = count;
  image->width = c[2] - c[0];
  image->height = c[3] - c[1];
}

static void read_filter(Image *image, Reader *r) {
  int kind = get8(r), count = get8(r), weights[16], sum = 0;
  if (count > 16) refuse("too many weights");
  for (int i = 0; i < count; i++) sum += weights[i] = get8(r);
  if (!image->pixels) refuse("a filter before the head");
  if (kind == 1) {
    if (sum == 0) refuse("weights without weight");
    for (int i = 0; i < image->pixel_count; i++) image->pixels[i] = image->pixels[i] * weights[i % count] / sum;
  } else if (kind == 2) {
    for (int i = 0; i + count <= image->pixel_count; i += count + 1)
      for (int j = 0; j < count; j++) image->pixels[i + j] ^= weights[j];
  } else
    refuse("unknown filter");
}

static void read_time(Reader *r) {
  static const char *months[12] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  int year = get16(r), month = get8(r), day = get8(r);
  if (month < 1 || month > 12) refuse("a bad month");
  printf("%d %s %d\n", day, months[month - 1], year);
}

static void read_frames(Image *image, Reader *r) {
  int count = get8(r);
  if (image->offsets) refuse("two animations");
  image->offsets = malloc((count + 1) * sizeof(int));
  image->frames = count;
  for (int i = 0; i < count; i++) {
    image->offsets[i] = get16(r);
    get8(r);
  }
}

static void play(Image *image) {
  long sum = 0;
  for (int i = 0; i < image->frames; i++) {
    int offset = image->offsets[i];
    if (offset >= image->pixel_count) refuse("a frame outside of the image");
    sum += image->pixels[offset];
  }
  printf("played %ld\n", sum);
}

static void paint(Image *image) {
  long sum = 0;
  for (int i = 0; i < image->pixel_count; i++) {
    int colour = image->pixels[i];
    if (image->depth != 4) colour &= (1 << image->depth) - 1;
    if (image->palette) {
      if (colour >= image->palette_count) colour = 0;
      sum += image->palette[colour * 3] + image->palette[colour * 3 + 2];
    } else
      sum += colour;
  }
  printf("painted %ld\n", sum);
}

static void thumbnail(Image *image) {
  int step = image->width / 8;
  if (step == 0) step = 1;
  int shown = 0;
  for (int x = 0; x < image->width; x += step) shown += image->pixels[x] % (step + 1);
  printf("thumbnail %d, %d\n", shown, image->height * 8 / step);
}

static void read_chunks(Image *image, const byte *data, int length) {
  int at = 5, depth = 0;
  while (at < length) {
    if (length - at < 6) refuse("a chunk without a length");
    int size = data[at + 4] << 8 | data[at + 5];
    if (size > length - at - 6) refuse("a chunk is cut off");
    byte *copy = malloc(size + 1);
    memcpy(copy, data + at + 6, size);
    copy[size] = 0;
    Reader r = {copy, size, 0};
    if (!memcmp(data + at, "HEAD", 4)) read_head(image, &r);
    else if (!memcmp(data + at, "PALT", 4)) read_palette(image, &r);
    else if (!memcmp(data + at, "DATA", 4)) read_data(image, &r);
    else if (!memcmp(data + at, "TEXT", 4)) read_text(image, &r);
    else if (!memcmp(data + at, "CROP", 4)) read_crop(image, &r);
    else if (!memcmp(data + at, "FILT", 4)) read_filter(image, &r);
    else if (!memcmp(data + at, "TIME", 4)) read_time(&r);
    else if (!memcmp(data + at, "ANIM", 4)) read_frames(image, &r);
    else if (data[at] >= 'A' && data[at] <= 'Z') refuse("an unknown chunk");
    at += 6 + size;
    if (++depth > 64) refuse("too many chunks");
    free(copy);
  }
}

int main(int count, char **words) {
  FILE *file = count > 1 ? fopen(words[1], "rb") : stdin;
  if (!file) { perror(words[1]); return 2; }
  byte *data = malloc(1 << 16);
  int length = fread(data, 1, 1 << 16, file);
  data = realloc(data, length ? length : 1);
  if (length < 5 || memcmp(data, "TILE", 4)) refuse("no tiles");
  if (data[4] != 1 && data[4] != 2) refuse("unknown version");
  Image image = {0};
  read_chunks(&image, data, length);
  if (!image.pixels) refuse("no image");
  paint(&image);
  if (data[4] == 2) thumbnail(&image);
  if (image.frames) play(&image);
  if (image.title[0]) printf("title %s\n", image.title);
  return 0;
}
