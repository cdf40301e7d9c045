import { z } from 'zod'
import { toOneLine, count, flag, money, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { archiveEvent } from '../../domains/authoring/archive.ts'
import { EventRecord } from '../../domains/authoring/event-records.ts'

export default eventTool({
  name: 'archive_event',
  title: 'Archive an event',
  description:
    'Close (archive, retire, sunset) a past event or congress permanently, which cannot be undone: dryRun gives the confirmToken. No one can register or change anything, sends and pages stop; settling money stays. Not for test mode (use update_event). Returns the event and open money.',
  effect: 'destructive',
  permission: 'clients.write',
  confirm: () => true,
  input: { reason: text(500).optional(), force: flag().default(false) },
  output: {
    event: toOneLine(EventRecord, 'as create_event returns it'),
    stopped: z.looseObject({}),
    openBalance: money(),
    openInvoices: count(),
  },
  run: archiveEvent,
})
