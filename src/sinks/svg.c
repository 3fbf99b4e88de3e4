/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A flame graph as one SVG file: boxes are functions, below each those that it
 * called, as wide as their time, bytes or calls. A browser shows name and numbers
 * under the pointer, a click widens a box to the whole picture, the search field
 * colours the boxes that it finds. Nothing is loaded from elsewhere, and names
 * are in the file as text only, never as markup or code.
 */
#include <errno.h>
#include <string.h>
#include "base/fmt.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "model/picture/folds.h"
#include "model/output/sink.h"

#define WIDTH 1200.0
#define ROW 17
#define TOP 60
#define MAX_ROWS 160		/* deeper frames are not drawn */
#define MIN_WIDTH 0.06		/* narrower boxes are not drawn, */
#define MAX_BOXES 50000		/* nor more than this */
#define CHAR_WIDTH 7.0
#define BUF_MAX (4u << 20)
#define FLUSH_AT (64u << 10)

struct svg {
	struct xpt_sink_cfg cfg;
	enum xpt_fold_weight weight;
	struct xpt_folds *folds;
	struct xpt_strbuf buf;
	double scale;		/* pixels of one unit of weight */
	uint64_t total;
	unsigned boxes, left_out;
	int err;
};

struct frame {			/* an open box: it ends where its name ends */
	size_t off, len;	/* of its name in the line */
	uint64_t start;		/* weight to the left of it */
};

static const char style[] =
	"<style>text{font:12px monospace;fill:#111;pointer-events:none}"
	".t{font:bold 15px sans-serif}.n{font:12px sans-serif}rect{stroke:#fff;stroke-width:.5}"
	".f{cursor:pointer}.f:hover rect{stroke:#000;stroke-width:1}.hit rect{fill:#c6f}"
	".dim{opacity:.5}.hide{display:none}input{width:100%;box-sizing:border-box;font:12px monospace}"
	"</style>\n";

/* Names are read from the document as text and written as text. */
static const char script[] =
	"<script><![CDATA[\n"
	"const W=1200,all=[...document.querySelectorAll('.f')],info=document.getElementById('info'),\n"
	"found=document.getElementById('found'),q=document.getElementById('q');\n"
	"const num=(g,k)=>+g.getAttribute('data-'+k);\n"
	"function fit(g,w){const t=g.querySelector('text'),n=g.querySelector('title').textContent.split('\\n')[0],\n"
	"c=Math.floor((w-6)/7);t.textContent=c<3?'':n.length<=c?n:n.slice(0,c-1)+'\\u2026';}\n"
	"function zoom(z){const x=num(z,'x'),w=num(z,'w'),d=num(z,'d');for(const g of all){\n"
	"const gx=num(g,'x'),gw=num(g,'w'),up=num(g,'d')<d,e=1e-6,\n"
	"out=gx+gw<=x+e||gx>=x+w-e;g.classList.toggle('hide',out);if(out)continue;\n"
	"const a=Math.max(gx,x),b=Math.min(gx+gw,x+w),r=g.querySelector('rect');\n"
	"g.classList.toggle('dim',up);r.setAttribute('x',(a-x)*W/w);r.setAttribute('width',(b-a)*W/w);\n"
	"g.querySelector('text').setAttribute('x',(a-x)*W/w+3);fit(g,(b-a)*W/w);}}\n"
	"for(const g of all){g.addEventListener('click',()=>zoom(g));g.addEventListener('mouseover',\n"
	"()=>{info.textContent=g.querySelector('title').textContent.replace('\\n','  ')});}\n"
	"function search(){let v=q.value.toLowerCase(),spans=[];for(const g of all){\n"
	"const hit=v!==''&&g.querySelector('title').textContent.split('\\n')[0].toLowerCase().includes(v);\n"
	"g.classList.toggle('hit',hit);if(hit)spans.push([num(g,'x'),num(g,'x')+num(g,'w')]);}\n"
	"spans.sort((a,b)=>a[0]-b[0]);let sum=0,end=0;for(const s of spans){if(s[1]>end){\n"
	"sum+=s[1]-Math.max(s[0],end);end=s[1];}}\n"
	"found.textContent=v===''?'':'found: '+(100*sum/W).toFixed(1)+' %';}\n"
	"q.addEventListener('input',search);\n"
	"document.addEventListener('keydown',e=>{if(e.key==='Escape'){q.value='';search();zoom(all[0]);}});\n"
	"]]></script>\n";

static int svg_open(void *st, const struct xpt_sink_cfg *cfg)
{
	struct svg *s = st;

	s->cfg = *cfg;
	s->weight = xpt_fold_weight(cfg->path, cfg->weight);
	xpt_strbuf__init(&s->buf, BUF_MAX);
	return xpt_folds__new(s->weight, &s->folds);
}

static int svg_event(void *st, const struct xpt_event *ev)
{
	struct svg *s = st;

	if (ev->kind == XPT_EV_CALL || ev->kind == XPT_EV_INFLIGHT)
		xpt_folds__call(s->folds, &ev->u.call, ev->kind == XPT_EV_CALL);
	else if (ev->kind == XPT_EV_FORGET)
		xpt_folds__forget(s->folds);
	return 0;
}

/* --- text ------------------------------------------------------------------------ */

/* False for characters that XML may not hold at all, even escaped, and for those that control
 * terminals or turn text around: U+FFFD is written instead. */
static bool is_xml(uint32_t cp)
{
	return cp != 0xfffe && cp != 0xffff && !xpt_utf8__is_hostile(cp);
}

/* Adds at most max characters of n bytes as XML text, then an ellipsis. Returns the number of characters. */
static size_t add_xml(struct xpt_strbuf *sb, const char *s, size_t n, size_t max)
{
	size_t at = 0, chars = 0, k;
	uint32_t cp;

	for (; at < n; at += k ? k : 1, chars++) {
		k = xpt_utf8__decode(s + at, n - at, &cp);
		if (chars + 1 == max && at + k < n) {
			xpt_strbuf__add(sb, "\xe2\x80\xa6");
			return chars + 1;
		}
		if (!k || !is_xml(cp))
			xpt_strbuf__add(sb, "\xef\xbf\xbd");
		else if (cp == '&')
			xpt_strbuf__add(sb, "&amp;");
		else if (cp == '<')
			xpt_strbuf__add(sb, "&lt;");
		else if (cp == '>')
			xpt_strbuf__add(sb, "&gt;");
		else
			xpt_strbuf__addn(sb, s + at, k);
	}
	return chars;
}

static const char *weight_text(const struct svg *s, uint64_t v, char *buf, size_t n)
{
	char num[32];

	switch (s->weight) {
	case XPT_FOLD_TIME:
		return xpt_fmt_ns(v, buf, n);
	case XPT_FOLD_BYTES:
		return xpt_fmt_bytes(v, buf, n);
	default:
		snprintf(buf, n, "%s calls", xpt_fmt_count(v, num, sizeof(num)));
		return buf;
	}
}

/* A colour by name, warm for functions of the program, the same in every picture. */
static void add_color(struct xpt_strbuf *sb, const char *name, size_t n, unsigned row)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)name[i]) * 16777619u;	/* FNV-1a */
	h ^= h >> 15;
	if (row == 0)
		xpt_strbuf__add(sb, "#ccc");
	else
		xpt_strbuf__addf(sb, "hsl(%u,%u%%,%u%%)", h % 55, 70 + h / 64 % 25, 62 + h / 2048 % 12);
}

/* --- boxes ----------------------------------------------------------------------- */

static void flush_buf(struct svg *s)
{
	errno = 0;
	if (!s->err && xpt_strbuf__err(&s->buf))
		s->err = xpt_strbuf__err(&s->buf);
	else if (!s->err && fwrite(xpt_strbuf__str(&s->buf), 1, s->buf.len, s->cfg.file) != s->buf.len)
		s->err = errno ? -errno : -EIO;
	xpt_strbuf__reset(&s->buf);
}

static void put_box(struct svg *s, const char *name, size_t len, unsigned row, uint64_t start,
		    uint64_t value)
{
	double x = (double)start * s->scale, w = (double)value * s->scale;
	struct xpt_strbuf *sb = &s->buf;
	unsigned y = TOP + row * ROW;
	char text[48];

	if (w < MIN_WIDTH || row >= MAX_ROWS || s->boxes >= MAX_BOXES) {
		s->left_out++;
		return;
	}
	s->boxes++;
	xpt_strbuf__addf(sb, "<g class=\"f\" data-x=\"%.3f\" data-w=\"%.3f\" data-d=\"%u\"><title>", x, w, row);
	add_xml(sb, name, len, SIZE_MAX);
	xpt_strbuf__addf(sb, "\n%s, %.2f %%</title><rect x=\"%.3f\" y=\"%u\" width=\"%.3f\" height=\"%d\" fill=\"",
			 weight_text(s, value, text, sizeof(text)),
			 100.0 * (double)value / (double)s->total, x, y, w, ROW - 1);
	add_color(sb, name, len, row);
	xpt_strbuf__addf(sb, "\"/><text x=\"%.3f\" y=\"%u\">", x + 3, y + 12);
	if (w > 3 * CHAR_WIDTH + 6)
		add_xml(sb, name, len, (size_t)((w - 6) / CHAR_WIDTH));
	xpt_strbuf__add(sb, "</text></g>\n");
	if (sb->len > FLUSH_AT)
		flush_buf(s);
}

/* Frames of a line into f, at most MAX_ROWS; returns how many. */
static unsigned split_frames(const char *text, struct frame *f)
{
	unsigned n = 0;
	size_t off = 0, len;

	while (n < MAX_ROWS) {
		len = strcspn(text + off, ";");
		f[n++] = (struct frame){ .off = off, .len = len };
		if (!text[off + len])
			break;
		off += len + 1;
	}
	return n;
}

/* Equal frames at the left of neighbouring lines are one box. */
static void put_boxes(struct svg *s, const struct xpt_fold *line, size_t nr)
{
	struct frame open[MAX_ROWS], next[MAX_ROWS];
	unsigned nr_open = 0, n, same;
	const char *last = "";
	uint64_t at = 0;

	for (size_t i = 0; i <= nr; i++) {
		n = i < nr ? split_frames(line[i].text, next) : 0;
		for (same = 0; same < nr_open && same < n; same++)
			if (open[same].len != next[same].len ||
			    memcmp(last + open[same].off, line[i].text + next[same].off, next[same].len))
				break;
		while (nr_open > same) {
			nr_open--;
			put_box(s, last + open[nr_open].off, open[nr_open].len, nr_open + 1,
				open[nr_open].start, at - open[nr_open].start);
		}
		if (i == nr)
			break;
		for (; nr_open < n; nr_open++) {
			open[nr_open] = next[nr_open];
			open[nr_open].start = at;
		}
		last = line[i].text;
		at += line[i].value;
	}
}

static unsigned rows_of(const struct xpt_fold *line, size_t nr)
{
	struct frame f[MAX_ROWS];
	unsigned rows = 1, n;

	for (size_t i = 0; i < nr; i++) {
		n = split_frames(line[i].text, f);
		rows = n > rows ? n : rows;
	}
	return rows + 1;
}

static void put_head(struct svg *s, unsigned rows)
{
	static const char *const what[] = { "time in traced calls", "bytes", "calls" };
	unsigned height = TOP + rows * ROW + 40;
	struct xpt_strbuf *sb = &s->buf;

	xpt_strbuf__addf(sb, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1200 %u\" width=\"1200\" "
			 "height=\"%u\">\n", height, height);
	xpt_strbuf__add(sb, style);
	xpt_strbuf__addf(sb, "<rect width=\"1200\" height=\"%u\" fill=\"#fff\"/>\n"
			 "<text class=\"t\" x=\"4\" y=\"20\">Flame graph: %s</text>\n"
			 "<text class=\"n\" x=\"4\" y=\"40\">Click a box to widen it, the top one or Esc to "
			 "see all.</text>\n"
			 "<foreignObject x=\"900\" y=\"4\" width=\"290\" height=\"26\">"
			 "<input xmlns=\"http://www.w3.org/1999/xhtml\" id=\"q\" placeholder=\"search\"/>"
			 "</foreignObject>\n<text class=\"n\" id=\"found\" x=\"900\" y=\"44\"></text>\n"
			 "<text class=\"n\" id=\"info\" x=\"4\" y=\"%u\"></text>\n", height,
			 what[s->weight], TOP + rows * ROW + 20);
}

static int write_all(struct svg *s)
{
	const struct xpt_fold *line;
	uint64_t other;
	size_t nr;

	line = xpt_folds__sorted(s->folds, &nr, &other);
	s->total = other;
	for (size_t i = 0; i < nr; i++)
		s->total += line[i].value;
	s->scale = s->total ? WIDTH / (double)s->total : 0;
	put_head(s, rows_of(line, nr));
	if (s->total)
		put_box(s, "all", 3, 0, 0, s->total);
	else
		xpt_strbuf__add(&s->buf, "<text class=\"n\" x=\"4\" y=\"72\">Nothing to show.</text>\n");
	put_boxes(s, line, nr);
	if (other)
		put_box(s, "[other]", 7, 1, s->total - other, other);
	if (s->left_out)
		xpt_strbuf__addf(&s->buf, "<!-- %u boxes too narrow to be seen are left out -->\n",
				 s->left_out);
	xpt_strbuf__add(&s->buf, s->total ? script : "");
	xpt_strbuf__add(&s->buf, "</svg>\n");
	flush_buf(s);
	if (fflush(s->cfg.file) && !s->err)
		s->err = -errno;
	return s->err;
}

static int svg_close(void *st)
{
	struct svg *s = st;
	int err = s->cfg.file && s->folds ? write_all(s) : 0;

	xpt_folds__free(s->folds);
	xpt_strbuf__free(&s->buf);
	return err;
}

const struct xpt_sink xpt_sink_svg = {
	.name = "svg",
	.help = "a flame graph of time, bytes or calls, for browsers",
	.ext = "svg",
	.state_size = sizeof(struct svg),
	.open = svg_open,
	.event = svg_event,
	.close = svg_close,
};
