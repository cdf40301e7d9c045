import { flag, id, instant, list, money, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import {
  PAYMENT_AND_REFUND_METHODS,
  validateManualPayment,
  ManualPayment,
  MANUAL_PAYMENT_KINDS,
  recordManualPayment,
} from '../../domains/orders/record-manual-payment.ts'
import { refundThroughProcessor } from '../../domains/payments/refunds.ts'

export default eventTool({
  name: 'record_manual_payment',
  title: 'Record a payment by hand',
  description:
    'Post money received by bank transfer, wire, cheque, cash or card terminal against invoices or an order, pay credit back (refund), or reverse a bounced payment; the books keep it, it cannot be undone, so preview with dryRun. Not for giving up a debt (use write_off_invoices). Issues a receipt. Returns allocations and balance.',
  effect: 'destructive',
  permission: 'money.write',
  keyed: true,
  openWorld: true,
  input: {
    kind: oneOf(MANUAL_PAYMENT_KINDS),
    amount: money(),
    invoiceNumbers: list(text(40), 100).min(1).optional(),
    orderNumber: text(40).optional(),
    method: oneOf(PAYMENT_AND_REFUND_METHODS).optional().describe('original: to the card it came from'),
    reference: text(200).optional().describe('bank and cheque need one'),
    receivedAt: instant().optional(),
    paymentId: id('payment').optional(),
    note: text(1000).optional(),
    allowOverpayment: flag().default(false),
    allowDuplicate: flag().default(false),
    sendReceipt: flag().default(false),
  },
  output: ManualPayment,
  findArgumentErrors: validateManualPayment,
  run: (ctx, request) => recordManualPayment(ctx, request, refundThroughProcessor),
})
