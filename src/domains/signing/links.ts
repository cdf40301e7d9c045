import type { Pool } from '../../kernel/ports.ts'
import { hashToken, type DerivedKeys } from '../../kernel/secrets.ts'
import { buildEventAndClientJoins, EVENT_WITH_CLIENT_COLUMNS_SQL, type EventFoundByToken } from '../tenancy/scope.ts'

const LABEL = 'signing link'

/**
 * Derives the token of a signer's link from the server's secret, so that reminders and the email with the signed copy repeat the same link
 * although only its hash is stored.
 */
export const deriveSigningLinkToken = (keys: DerivedKeys, at: { tenantId: number; signerId: string }): string =>
  `sign_${keys.sign(LABEL, `${at.tenantId} ${at.signerId}`)}`

export const toSigningPath = (token: string): string => `/sign/${token}`

/** The signer whom a signing link belongs to, with the contract and the envelope to sign. */
export interface SignerFoundByLink extends EventFoundByToken {
  signerId: string
  envelopeId: string
  contractId: string
  name: string
  email: string
}

const FIND_SIGNER = `
select s.id as "signerId", s.envelope_id as "envelopeId", v.contract_id as "contractId", s.name, s.email,
  ${EVENT_WITH_CLIENT_COLUMNS_SQL}
from envelope_signers s
join signature_envelopes v on v.tenant_id = s.tenant_id and v.event_id = s.event_id and v.id = s.envelope_id
${buildEventAndClientJoins('s')}
where s.token_hash = $1`

/** Finds the signer of a link; null if the link is unknown. Links of ended envelopes are found too, and only show the status. */
export async function findSignerByLinkToken(pool: Pool, token: string): Promise<SignerFoundByLink | null> {
  const { rows } = await pool.query<SignerFoundByLink>(FIND_SIGNER, [hashToken(token)])
  return rows[0] ?? null
}
