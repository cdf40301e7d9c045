import { toOneLine, count, flag, list, money, object, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { validateWriteOff, writeOffInvoices } from '../../domains/orders/write-offs.ts'

export default eventTool({
  name: 'write_off_invoices',
  title: 'Write invoices off',
  description:
    'Write off (forgive, give up on) what is still open on invoices that will never be paid: bankrupt, uncollectible, bad debt to take off our books, small balances, by number or by days late; reverse claims it again. dryRun previews. Not for money received (use record_manual_payment). Returns amounts and total.',
  effect: 'change',
  permission: 'money.write',
  keyed: true,
  dryRun: true,
  input: {
    invoiceNumbers: list(text(40), 1000).min(1).optional(),
    overdueDays: count(1, 3650).optional(),
    maxBalance: money().optional(),
    reason: text(500),
    reverse: flag().default(false),
    expectedTotal: money().optional().describe('total of the dry run; needed with overdueDays'),
    dryRun: flag().optional(),
  },
  output: {
    writtenOff: list(toOneLine(object({ number: text(), amount: money() }), 'number, amount')),
    count: count(),
    total: money(),
    skipped: list(toOneLine(object({ number: text(), reason: text() }), 'number, reason')),
  },
  findArgumentErrors: validateWriteOff,
  run: writeOffInvoices,
})
