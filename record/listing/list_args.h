/* list_args.h: the command line of "perfpair-record list". */
#ifndef REC_LIST_ARGS_H
#define REC_LIST_ARGS_H

#include "record/listing/list.h"

#include "format/support/options.h"

extern const struct sup_command rec_list_command;

#endif
