import { createSignerSession } from '../../src/domains/signing/session.ts'
import { deriveSigningLinkToken } from '../../src/domains/signing/links.ts'
import { createNegotiationFixtures } from './negotiations.ts'
import type { SalesScenario } from './sales-scenario.ts'
import type { Served } from './server.ts'
import { sealCompletedEnvelopes, createSigningFixtures, TWO_SIGNERS } from './signing.ts'
import { RESPONSE_A, createSourcingFixtures } from './sourcing.ts'
import { type Visitor, visitor } from './visitor.ts'

/** Ids of sourcing records whose pages the tests open. */
export interface WholeSourcing {
  rfps: string[]
  recipients: string[]
  contracts: string[]
  /** The id of an RFP whose responses are sealed. */
  sealedRfp: string
  /** The tokens of links to an RFP, to contracts, and to envelopes that wait for a code, are being read, or are signed. */
  tokens: string[]
  /** A signer who has entered the code and can read the contract. */
  signer: Visitor
}

/** Creates a locked brief, suppliers, RFPs with responses, contracts in negotiation, and envelopes in all states. */
export async function fillSourcing(scenario: SalesScenario, served: Served): Promise<WholeSourcing> {
  const { world, event, call } = scenario
  const rows = createSourcingFixtures(world, event)
  await rows.brief()
  await rows.supplier('Palace', {
    note: 'Ask for Eva',
    chain: 'Palaces',
    sleeping_rooms: 200,
    meeting_rooms: JSON.stringify([{ name: 'Hall', areaSqm: 510, capacity: { theater: 560 } }]),
    sources: JSON.stringify([{ kind: 'page', ref: 'https://palace.example', at: '2026-01-01T00:00:00.000Z' }]),
  })
  const negotiations = createNegotiationFixtures(world, event, call)
  const { rfp, recipient } = await negotiations.proposal()
  const draft = await negotiations.draftRfp()
  const sealedRfp = await rows.rfp(await rows.brief(), { sealed: true })
  await rows.response(await rows.recipient(sealedRfp, await rows.supplier('Sealed house')), RESPONSE_A)
  const contracts = []
  for (const step of ['redlined', 'sent', 'submitted', 'draft'] as const) contracts.push(await negotiations.contract(step))
  const { tokens, signer } = await fillEnvelopes(scenario, served)
  return {
    rfps: [rfp, draft],
    recipients: [recipient],
    contracts,
    sealedRfp,
    tokens: [await negotiations.requestLink(recipient), ...(await readContractLinks(scenario, contracts)), ...tokens],
    signer,
  }
}

/** Returns the latest link to each contract that was sent. */
async function readContractLinks({ world }: SalesScenario, contracts: readonly string[]): Promise<string[]> {
  const tokens: string[] = []
  for (const id of contracts) {
    const { rows } = await world.database.pool.query<{ text: string }>(
      `select text_body as text from messages where source_kind = 'contract' and source_id like $1 || '%' order by id desc limit 1`,
      [id],
    )
    if (rows[0]) tokens.push(/\/supplier\/([\w-]+)/.exec(rows[0].text)![1]!)
  }
  return tokens
}

/** Creates an envelope that waits for the code of its first signer, one that is being read, and one that all have signed. */
async function fillEnvelopes({ world, event, call }: SalesScenario, served: Served): Promise<Pick<WholeSourcing, 'tokens' | 'signer'>> {
  const signing = createSigningFixtures(world, event)
  const { keys } = world.services
  const send = async () => {
    const { contractId } = await signing.contract()
    await call('mark_contract_ready_for_signature', { contractId })
    const { envelope } = await call('send_contract_for_signature', { contractId, signers: TWO_SIGNERS })
    return (await signing.signers(envelope.id)).map(({ id }) => id)
  }
  const [waiting, reading, signed] = [await send(), await send(), await send()]
  for (const id of signed) {
    await signing.open(id)
    await signing.sign(id)
  }
  await sealCompletedEnvelopes(world)
  await signing.open(reading[0]!)
  const signer = visitor(served)
  signer.cookies.set('lanyard-signer', createSignerSession(keys, await signing.link(reading[0]!), await world.clock.now()))
  const tokens = [waiting[0]!, reading[0]!, signed[0]!].map((signerId) =>
    deriveSigningLinkToken(keys, { tenantId: event.tenantId, signerId }),
  )
  return { tokens, signer }
}
