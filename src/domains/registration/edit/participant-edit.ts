import type { Money } from '../../../kernel/money.ts'
import type { RemovalCreditRule } from '../../orders/credits.ts'
import type { OrderRow } from '../../orders/orders.ts'
import type { BillTo } from '../../orders/tables.ts'
import type { TaxOfficeAnswer } from '../../orders/tax-ids.ts'
import type { Answers } from '../answers.ts'
import type { IssuedInvoiceDocuments } from './change-products.ts'
import type { EventSnapshot } from '../event-snapshot.ts'
import type { ParticipantRow } from '../participant-shape.ts'

export interface ParticipantEdit {
  data?: Answers | undefined
  addTags?: readonly string[] | undefined
  removeTags?: readonly string[] | undefined
  status?: 'complete' | 'cancelled' | undefined
  flowSlug?: string | undefined
  credit: 'policy' | 'full' | 'none' | 'amount'
  creditAmount?: Money | undefined
  fee?: Money | undefined
  feeTaxCode?: string | undefined
  reason?: string | undefined
  keepGuests: boolean
  /** The new discount code. An answer to `@discount.code` in `data` sets it too; an empty answer removes it. */
  discountCode?: string | undefined
  billTo?: BillTo | undefined
  /** The tax office's answer about the buyer's tax number in the new billing address. */
  askedTaxId?: TaxOfficeAnswer | null
  reprice: boolean
  overrideCapacity: boolean
  ifRevision?: number | undefined
}

/** The fields that an edit has changed so far, and the invoices and credit notes that it has issued. */
interface EditOutcome {
  changed: string[]
  creditNotes: { number: string; total: number }[]
  invoices: { number: string; total: number }[]
  /** Products and conference sessions of a reinstated registration that are sold out and could not be restored. */
  notRestored: string[]
}

export interface ParticipantEditResult extends EditOutcome {
  participant: ParticipantRow
  /** The order for the participant's purchases, or null if there is none. */
  before: OrderRow | null
  after: OrderRow | null
}

/** The input of every step of an edit, such as changing the flow, products or billing address. */
export interface ParticipantEditStepInput {
  snapshot: EventSnapshot
  /** The participant before the edit. */
  row: ParticipantRow
  edit: ParticipantEdit
  rule: RemovalCreditRule
  outcome: EditOutcome
}

export function collectInvoiceDocuments({ creditNotes, invoices }: EditOutcome, issued: IssuedInvoiceDocuments | null): void {
  if (issued?.creditNote) creditNotes.push(issued.creditNote)
  if (issued?.invoice) invoices.push(issued.invoice)
}
