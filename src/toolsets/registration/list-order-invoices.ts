import { toOneLine, code, day, flag, id, list, object, oneOf, pageArguments, pageResult, searchArgument, text } from '../../kernel/args.ts'
import { readValueStoredInCursor } from '../../kernel/page.ts'
import { eventTool } from '../../kernel/tool.ts'
import { OPTIONAL_INVOICE_FIELDS, INVOICE_STATUSES, listInvoices } from '../../domains/orders/invoice-list.ts'
import { InvoiceSummary, InvoiceTotals } from '../../domains/orders/invoice-shape.ts'
import { participantReferenceSchema, resolveParticipant } from '../../domains/registration/find/resolve-participant.ts'

export default eventTool({
  name: 'list_order_invoices',
  title: 'List invoices and credit notes',
  description:
    'List invoices (the bills we sent, AR) and credit notes: which are unpaid, late or overdue by how many days, what has been paid on one, aging, lines, ledger entries, by order, person, group or company. Not for figures of the event (use get_registration_summary). Returns amounts, balances, totals.',
  effect: 'read',
  toleratesLag: true,
  permission: 'registration.read',
  input: {
    orderNumber: text(40).optional(),
    invoiceNumber: text(40).optional(),
    participantId: participantReferenceSchema().optional(),
    groupCode: code().optional(),
    companyId: id('company').optional(),
    status: list(oneOf(INVOICE_STATUSES), 4).optional(),
    kind: oneOf(['invoice', 'credit_note']).optional(),
    overdueOnly: flag().default(false),
    issuedFrom: day().optional(),
    issuedUntil: day().optional(),
    search: searchArgument().optional(),
    include: list(oneOf(OPTIONAL_INVOICE_FIELDS), 3).optional(),
    ...pageArguments,
  },
  output: {
    invoices: list(toOneLine(object(InvoiceSummary), 'number, orderNumber, billTo, dueOn, total, balance, status and more')),
    totals: toOneLine(InvoiceTotals, 'count, total, balance, aging { current, d1to30, d31to60, d61to90, over90 }'),
    ...pageResult,
  },
  run: async (ctx, { participantId: named, ...request }) => {
    // The page cursor is checked before the filters, so that a cursor of another list is always reported as such.
    readValueStoredInCursor(ctx, request)
    const participantId = named === undefined ? undefined : (await resolveParticipant(ctx, named, { includeTestData: true })).id
    return listInvoices(ctx, { ...request, participantId })
  },
})
