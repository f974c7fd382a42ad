#include "report/script/script_compat.h"

#include "report/base/memory.h"

#include <ctype.h>
#include <errno.h>

#define ANONYMOUS	"(anonymous namespace)"
#define ANONYMOUS_SHOWN "{anonymous}"

int rpt_script_compat_check(const struct rpt_script_args *args,
			    struct pd_err *err)
{
	bool has_fields = false, shows_records = false;
	const char *option;

	for (int t = 0; t < RPT_SCRIPT_TYPE_NR; t++)
		has_fields |= args->fields.is_set[t];
	for (int i = 0; i < RPT_SHOW_NR; i++)
		shows_records |= args->show[i];
	option = has_fields	      ? "-F"
		 : shows_records      ? "--show-...-events"
		 : args->is_dump      ? "-D"
		 : args->is_latency   ? "-L"
		 : args->hide_chains  ? "-G"
		 : args->header	      ? "--header"
		 : args->is_deltatime ? "--deltatime"
				      : NULL;
	if (!option)
		return 0;
	pd_err_set(err, -EINVAL,
		   "--compat and %s: it would change the layout that other "
		   "programs read",
		   option);
	pd_err_hint(err, "leave one of them out");
	return -EINVAL;
}

void rpt_script_compat_fields(struct rpt_script_fields *fields)
{
	for (int t = 0; t < RPT_SCRIPT_TYPE_NR; t++)
		fields->of[t] =
			(fields->of[t] & (RPT_FIELD_TIME | RPT_FIELD_CPU)) |
			RPT_FIELD_COMM | RPT_FIELD_PID | RPT_FIELD_TID |
			RPT_FIELD_EVENT | RPT_FIELD_IP | RPT_FIELD_SYM |
			RPT_FIELD_DSO;
}

static bool is_blank(char c)
{
	return (unsigned char)c <= ' ' || c == 0x7f;
}

char *rpt_script_compat_title(const char *name)
{
	size_t len = strlen(name);
	char *title = rpt_alloc(len + sizeof(":"));

	for (size_t i = 0; i < len; i++)
		title[i] = name[i] == ':'      ? '.'
			   : is_blank(name[i]) ? '_'
					       : name[i];
	title[len] = ':';
	title[len + 1] = '\0';
	return title;
}

static void put_comm(struct rpt_text *t, const char *comm)
{
	size_t len = strlen(comm);

	if (isdigit((unsigned char)*comm))
		rpt_text_char(t, '_');
	for (size_t i = 0; i < len; i++) {
		bool hides_line = !i && strchr("#{[", comm[i]);

		rpt_text_char(t, hides_line || is_blank(comm[i]) ? '_'
				 : comm[i] == ';'		 ? ':'
								 : comm[i]);
	}
	for (; len < 2; len++)
		rpt_text_char(t, '_');
}

/* Print a pid or tid.  -1, of no task, is printed as 0. */
static void put_id(struct rpt_text *t, uint32_t id)
{
	rpt_text_dec(t, (int32_t)id < 0 ? 0 : id, 0);
}

void rpt_script_compat_start(struct rpt_script *script,
			     struct rpt_script_line *line)
{
	const struct pd_sample *sample = &line->sample.fields;
	const struct rpt_task_state *task = line->sample.task;
	struct rpt_text *t = &script->text;
	char unknown[16];

	put_comm(t, rpt_comm_or_tid(task->comm_then, task->ref.tid, unknown));
	rpt_text_char(t, ' ');
	put_id(t, sample->pid);
	rpt_text_char(t, '/');
	put_id(t, sample->tid);
	rpt_text_char(t, ' ');
	if (line->fields & RPT_FIELD_CPU && sample->present & PD_SAMPLE_CPU) {
		rpt_text_char(t, '[');
		rpt_text_zeros(t, sample->cpu, 3);
		rpt_text_put(t, "] ", 2);
	}
	line->times_start = t->len;
	rpt_script_print_times(script, line->fields, sample->time_ns);
	line->times_end = t->len;
	if (!(line->fields & RPT_FIELD_TIME))
		rpt_text_str(t, "0.000000: ");
	rpt_text_str(
		t, script->titles[line->sample.event - script->events->events]);
}

/* Print "operator=>" in place of "operator->": readers split a name at "->", by
 * which JIT compilers name functions with what they inlined. */
static void put_piece(struct rpt_text *text, const char *name, size_t len)
{
	static const char arrow[] = "operator->";
	const size_t arrow_len = sizeof(arrow) - 1;

	for (size_t i = 0; i < len; i++) {
		bool is_arrow =
			name[i] == '-' && i >= arrow_len - 2 &&
			!strncmp(name + i - (arrow_len - 2), arrow, arrow_len);

		rpt_text_char(text, is_arrow ? '=' : name[i]);
	}
}

void rpt_script_compat_function(struct rpt_text *text, const char *name)
{
	const size_t len = sizeof(ANONYMOUS) - 1;
	const char *found;

	if (*name == '(' && strncmp(name, ANONYMOUS, len) != 0)
		rpt_text_char(text, '_');
	while ((found = strstr(name, ANONYMOUS))) {
		put_piece(text, name, (size_t)(found - name));
		rpt_text_put(text, ANONYMOUS_SHOWN,
			     sizeof(ANONYMOUS_SHOWN) - 1);
		name = found + len;
	}
	put_piece(text, name, strlen(name));
}

void rpt_script_compat_file(struct rpt_text *text, const char *name)
{
	for (; *name; name++)
		rpt_text_char(text, is_blank(*name) ? '_'
				    : *name == '('  ? '['
				    : *name == ')'  ? ']'
						    : *name);
}
