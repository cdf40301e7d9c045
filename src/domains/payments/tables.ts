import type { ColumnType, Generated } from 'kysely'
import type { CheckoutLine } from '../../kernel/cards.ts'
import type { Kept, NullableStamp } from '../../kernel/columns.ts'

type Optional<T> = ColumnType<T | null, T | null | undefined, T | null>

interface SavedCardsTable {
  tenant_id: number
  event_id: string
  id: string
  participant_id: string
  is_test_data: boolean
  provider: string
  customer_ref: string
  method_ref: string
  brand: Optional<string>
  last4: Optional<string>
  expires: Optional<string>
  consent_at: NullableStamp
  /** As they read it. */
  consent: Optional<string>
  created_at: Kept<Date>
}

interface ChargesTable {
  tenant_id: number
  event_id: string
  id: string
  participant_id: string
  order_id: Optional<string>
  invoice_id: Optional<string>
  entry_id: Optional<string>
  is_test_data: boolean
  purpose: string
  amount: number
  currency: string
  status: Generated<'pending' | 'succeeded' | 'failed' | 'unknown'>
  provider: string
  provider_ref: Optional<string>
  failure_code: Optional<string>
  attempts: Generated<number>
  card_id: Optional<string>
  call_id: Optional<string>
  flag: Optional<string>
  checkout_ref: Optional<string>
  checkout_url: Optional<string>
  return_url: Optional<string>
  cancel_url: Optional<string>
  lines: ColumnType<CheckoutLine[], string | undefined, string>
  consent: Optional<string>
  ends_at: NullableStamp
  ending: Optional<'cancelled' | 'expired'>
  created_at: Kept<Date>
  settled_at: NullableStamp
}

interface CardSetupsTable {
  tenant_id: number
  event_id: string
  id: string
  participant_id: string
  is_test_data: boolean
  consent: string
  provider: string
  status: Generated<'pending' | 'succeeded' | 'failed'>
  failure_code: Optional<string>
  checkout_ref: Optional<string>
  checkout_url: Optional<string>
  return_url: string
  cancel_url: string
  card_id: Optional<string>
  call_id: string
  created_at: Kept<Date>
  settled_at: NullableStamp
}

interface CardNoticesTable {
  tenant_id: number
  provider: string
  /** The processor's own id of it. */
  notice: string
  type: string
  heard_at: Kept<Date>
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    saved_cards: SavedCardsTable
    charges: ChargesTable
    card_setups: CardSetupsTable
    card_notices: CardNoticesTable
  }
}
