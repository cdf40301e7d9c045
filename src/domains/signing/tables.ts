import type { Selectable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'

/** A signature as a typed name, or as a drawn PNG picture in base64. */
export type Signature = { typed: string } | { drawn: string }

export type EnvelopeRow = Selectable<Tables['signature_envelopes']>
export type SignerRow = Selectable<Tables['envelope_signers']>
export type SigningStepRow = Selectable<Tables['signature_steps']>

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'envelope_signers.signature': Signature
  }
}
