import { z } from 'zod'
import { toOneLine, code, count, day, keepNullInResult, list, name, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { cloneEvent } from '../../domains/authoring/clone.ts'
import { EventRecord } from '../../domains/authoring/event-records.ts'
import { DATE_SHIFT_MODES } from '../../domains/authoring/shift-dates.ts'

export default eventTool({
  name: 'clone_event',
  title: 'Clone an event',
  description:
    "Copy last year's event as the next edition (clone, roll over, same show again): the build with a date shift to the new start; no people, orders, staff or credentials. Not for selected parts (use copy_event_config). Returns the event and what was copied.",
  effect: 'change',
  permission: 'clients.write',
  keyed: true,
  input: {
    newCode: code(),
    newName: name(),
    startsOn: day(),
    toClientCode: code().optional(),
    fromVersion: text(20).optional().describe('draft, live or a version'),
    include: list(text(60), 30).optional().describe('sections; default all'),
    dateShift: oneOf(DATE_SHIFT_MODES).default('shift'),
  },
  output: {
    event: toOneLine(EventRecord, 'as create_event returns it'),
    copied: z.looseObject({}),
    dateChanges: object({
      count: count(),
      samples: list(object({ path: z.string(), before: z.string(), after: keepNullInResult(z.string().nullable()) })),
    }),
    cleared: list(z.string(), 10_000),
    warnings: list(z.string()),
  },
  run: cloneEvent,
})
