import { getDatabaseTime } from '../../kernel/database-time.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import type { DerivedKeys } from '../../kernel/secrets.ts'
import type { HousingContext } from '../housing/context.ts'
import { getContract } from '../supplier-contracts/contracts.ts'
import { type ContractDocument, readContractDocument } from '../supplier-contracts/document.ts'
import type { ContractRow } from '../supplier-contracts/tables.ts'
import { getEnvelope, isLiveEnvelope, listNextSigners, listSigners } from './envelopes.ts'
import type { SignerFoundByLink } from './links.ts'
import type { EnvelopeRow, SignerRow } from './tables.ts'

const LABEL = 'signer session'
/** How long a signer who entered the emailed code may read the document before a new code is required. */
export const SIGNER_SESSION_SECONDS = 2 * 3600

/** Creates the cookie value which proves that the signer entered the emailed code in this browser. */
export const createSignerSession = (keys: DerivedKeys, { signerId }: SignerFoundByLink, now: Date): string =>
  keys.seal(LABEL, String(now.getTime() + SIGNER_SESSION_SECONDS * 1000), signerId)

const isSession = (keys: DerivedKeys, { signerId }: SignerFoundByLink, cookie: string | undefined, now: Date): boolean => {
  const until = cookie === undefined ? null : keys.open(LABEL, cookie, signerId)
  return until !== null && Number(until.toString()) > now.getTime()
}

export type SignerPageState = 'code' | 'read' | 'saved' | 'notYet' | 'done' | 'voided' | 'expired' | 'declined'

/** The content of a signer's page: the allowed actions, and the visible part of the contract. */
export interface SignerPageData {
  state: SignerPageState
  contract: ContractRow
  envelope: EnvelopeRow
  signer: SignerRow
  signers: SignerRow[]
  supplier: string
  /** The text of the contract; null until the code was entered. */
  document: ContractDocument | null
}

export async function readSignerPageData(
  ctx: HousingContext,
  link: SignerFoundByLink,
  cookie: string | undefined,
): Promise<SignerPageData> {
  const envelope = await getEnvelope(ctx, link.envelopeId)
  const contract = await getContract(ctx, link.contractId)
  const signers = await listSigners(ctx, envelope.id)
  const signer = signers.find(({ id }) => id === link.signerId)!
  const now = await getDatabaseTime(ctx)
  const { name } = await tenantDb(ctx)
    .selectFrom('suppliers')
    .select('name')
    .where('client_id', '=', contract.client_id)
    .where('id', '=', contract.supplier_id)
    .executeTakeFirstOrThrow()
  const isOpen = isSession(ctx.keys, link, cookie, now)
  const state = stateOf({ envelope, signer, signers, isOpen, now })
  const document = state === 'read' ? await readContractDocument(ctx, contract) : null
  return { state, contract, envelope, signer, signers, supplier: name, document }
}

interface StateFacts {
  envelope: EnvelopeRow
  signer: SignerRow
  signers: readonly SignerRow[]
  isOpen: boolean
  now: Date
}

function stateOf({ envelope, signer, signers, isOpen, now }: StateFacts): SignerPageState {
  if (envelope.status === 'completed') return 'done'
  if (envelope.status === 'voided' || envelope.status === 'declined' || envelope.status === 'expired') return envelope.status
  if (!isLiveEnvelope(envelope) || envelope.expires_at <= now) return 'expired'
  if (signer.status === 'signed') return 'saved'
  if (!listNextSigners(signers).some(({ id }) => id === signer.id)) return 'notYet'
  return isOpen && signer.status === 'viewed' ? 'read' : 'code'
}
