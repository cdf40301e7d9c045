import { sendEmail } from '../../kernel/email.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { formatDateRange } from '../../kernel/language/format.ts'
import { eventDb, joinRowsOfSameEvent } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { addDays } from '../../kernel/time.ts'
import { type HousingContext, readTodayAtEvent } from '../housing/context.ts'
import { readRfpEmailSettings } from '../rfps/emails.ts'
import { createSupplierLink } from '../suppliers/links.ts'
import { findMissingVariables } from './clause-text.ts'
import { compareContractVersions } from './compare.ts'
import { getContract, lockSupplierContract, readContractVersion } from './contracts.ts'
import { describeContract } from './describe.ts'
import { renderContractPdf } from './document.ts'
import { contractEmail, renewedContractLinkEmail, counterProposalEmail } from './emails.ts'
import { CONTRACT_STATES, COUNTER_PROPOSAL_STATES } from './states.ts'
import type { ContractRow } from './tables.ts'

/** The number of days after the decision, or after the contract's due day, during which a supplier's link works. */
const LINK_DAYS = 30

interface Submission {
  contractId: string
  contactEmail?: string | undefined
  message?: string | undefined
  dueOn?: string | undefined
}

/** Sends a draft contract to the supplier, with a link to its page and the PDF. */
export async function submitContract(ctx: HousingContext, { contractId, contactEmail, message, dueOn }: Submission) {
  const contract = await lockSupplierContract(ctx, contractId)
  CONTRACT_STATES.move(contract.status, 'submitted')
  const { clauses } = await readContractVersion(ctx, contract)
  const missing = findMissingVariables(clauses)
  if (missing.length > 0)
    throw preconditionFailed(
      `Contract ${contract.number} has no value for ${missing.map(({ key, name }) => `${key}.${name}`).join(', ')}. Set them with add_contract_version`,
    )
  const isOther = contactEmail !== undefined && foldEmailCase(contactEmail) !== foldEmailCase(contract.contact_email ?? '')
  const moved = await changeRecordState(ctx, CONTRACT_STATES, contract, 'submitted', {
    columns: { ...(isOther ? { contact_email: contactEmail, contact_name: null } : {}), due_on: dueOn ?? null },
  })
  await emailContract(ctx, moved, 'contract', { message, changed: [] })
  return { contract: await describeContract(ctx, moved), queued: 1 }
}

/** Sends the client's counterproposal to the supplier, with a link to the changed clauses. */
export async function sendCounterProposal(
  ctx: HousingContext,
  { contractId, message }: { contractId: string; message?: string | undefined },
) {
  const contract = await lockSupplierContract(ctx, contractId)
  const moved = await changeRecordState(ctx, CONTRACT_STATES, contract, 'counterSent')
  const counters = await eventDb(ctx)
    .selectFrom('contract_counters')
    .selectAll()
    .where('contract_id', '=', contractId)
    .where('status', '=', 'applied')
    .execute()
  for (const counter of counters) await changeRecordState(ctx, COUNTER_PROPOSAL_STATES, counter, 'sent')
  const changed = await listChangedTitles(ctx, contract)
  await emailContract(ctx, moved, 'counter', { message, changed })
  return { contract: await describeContract(ctx, moved), queued: 1 }
}

/** Lists the titles of clauses that differ from the last version that the supplier wrote or received. */
async function listChangedTitles(ctx: HousingContext, contract: ContractRow): Promise<string[]> {
  const { from, to } = await readVersionsToCompare(ctx, contract)
  return compareContractVersions(from.clauses, to.clauses).map(({ title }) => title)
}

/** Reads the contract version that the supplier wrote last (`from`) and the current one (`to`). Both are the same if they wrote none. */
export async function readVersionsToCompare(ctx: HousingContext, contract: ContractRow) {
  const last = await eventDb(ctx)
    .selectFrom('contract_versions')
    .select('n')
    .where('contract_id', '=', contract.id)
    .where('written_by', '=', 'supplier')
    .orderBy('n', 'desc')
    .limit(1)
    .executeTakeFirst()
  const [from, to] = await Promise.all([
    readContractVersion(ctx, contract, last?.n ?? contract.current_version),
    readContractVersion(ctx, contract),
  ])
  return { from, to }
}

interface Letter {
  message?: string | undefined
  changed: readonly string[]
}

async function emailContract(
  ctx: HousingContext,
  contract: ContractRow,
  kind: 'contract' | 'counter',
  { message, changed }: Letter,
): Promise<void> {
  const { number, due_on } = contract
  const { path, ...recipient } = await createContractLink(ctx, contract)
  const sending = await readRfpEmailSettings(ctx)
  await sendEmail(ctx, kind === 'contract' ? contractEmail : counterProposalEmail, {
    to: recipient,
    content: {
      number,
      client: ctx.client.name,
      event: ctx.event.name,
      path,
      message: message ?? null,
      dueOn: due_on === null ? null : formatDateRange(sending.locale, due_on, due_on),
      changed,
    },
    source: {
      kind: 'contract',
      id: `${contract.id} ${contract.current_version} ${contract.status}`,
      recipientKey: foldEmailCase(recipient.address),
    },
    ...sending,
    attachments: [
      {
        name: `${number}-version-${contract.current_version}.pdf`,
        mime: 'application/pdf',
        content: await renderContractPdf(ctx, contract),
      },
    ],
  })
}

/** Emails a new link to the supplier's contact, without the PDF, because the current version may not have been sent yet. */
export async function sendFreshContractLink(ctx: HousingContext, contractId: string): Promise<void> {
  const contract = await getContract(ctx, contractId)
  if (contract.contact_email === null) return
  const { path, ...to } = await createContractLink(ctx, contract)
  await sendEmail(ctx, renewedContractLinkEmail, {
    to,
    content: { number: contract.number, client: ctx.client.name, event: ctx.event.name, path },
    source: { kind: 'contract', id: `${contract.id} link ${newId()}`, recipientKey: foldEmailCase(to.address) },
    ...(await readRfpEmailSettings(ctx)),
  })
}

/** Creates a link for the supplier's contact. Returns the path of the supplier's page and the recipient of the email. */
async function createContractLink(ctx: HousingContext, contract: ContractRow): Promise<{ path: string; address: string; name?: string }> {
  const { contact_email: address, contact_name: name, number } = contract
  if (address === null) throw preconditionFailed(`Contract ${number} has no contact of the supplier. Give contactEmail`)
  const token = await createSupplierLink(ctx, {
    supplierId: contract.supplier_id,
    record: { contractId: contract.id },
    to: { name, email: address },
    until: await findLinkEnd(ctx, contract),
  })
  return { path: `/supplier/${token.reveal()}`, address, ...(name === null ? {} : { name }) }
}

async function findLinkEnd(ctx: HousingContext, contract: ContractRow): Promise<string> {
  const rfp = await eventDb(ctx)
    .selectFrom('rfps as r')
    .innerJoin('awards as a', (join) => joinRowsOfSameEvent(join, 'a.rfp_id', 'r.id'))
    .select('r.decision_on')
    .where('a.id', '=', contract.award_id)
    .executeTakeFirst()
  const today = await readTodayAtEvent(ctx)
  const latest = [rfp?.decision_on ?? today, contract.due_on ?? today, today].toSorted().at(-1)!
  return addDays(latest, LINK_DAYS)
}
