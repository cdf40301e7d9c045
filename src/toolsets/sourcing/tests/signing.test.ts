import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  SIGNER_BROWSER,
  MILESTONE_CLAUSES,
  sealCompletedEnvelopes,
  createSigningFixtures,
  TWO_SIGNERS,
} from '../../../../test/support/signing.ts'
import { createHotelAt, inEventTransaction } from '../../../../test/support/hotels.ts'
import { RESPONSE_A, createSourcingFixtures } from '../../../../test/support/sourcing.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'
import { toStorageKey } from '../../../domains/files/keys.ts'
import { addHotel } from '../../../domains/housing/hotels.ts'
import { issueSignerCode, verifySignerCode } from '../../../domains/signing/codes.ts'
import { declineDocument } from '../../../domains/signing/sign.ts'
import { verifyFile } from '../../../domains/signing/verify.ts'
import { newId } from '../../../kernel/ids.ts'

let world: World
let place: EventHandle
let organizer: OrganizerHandle
let signing: ReturnType<typeof createSigningFixtures>

beforeAll(async () => {
  world = await newWorld()
  place = await world.event({ startsOn: '2027-06-10', endsOn: '2027-06-13' })
  organizer = await world.organizer({ at: place })
  signing = createSigningFixtures(world, place)
})
afterAll(() => world.end())

const call = (tool: string, args: object) => organizer.call(tool, { eventCode: place.eventCode, ...args })
const refused = (tool: string, args: object) => organizer.refused(tool, { eventCode: place.eventCode, ...args })

async function readyContract(more: Parameters<typeof signing.contract>[0] = {}) {
  const made = await signing.contract(more)
  await call('mark_contract_ready_for_signature', { contractId: made.contractId })
  return made
}

async function sentContract(more: object = {}) {
  const made = await readyContract()
  const { envelope } = await call('send_contract_for_signature', { contractId: made.contractId, signers: TWO_SIGNERS, ...more })
  return { ...made, envelope, signers: await signing.signers(envelope.id) }
}

describe('mark_contract_ready_for_signature', () => {
  it('stores the final contract PDF and its hash', async () => {
    const { contractId } = await signing.contract()
    const { contract, finalSha256 } = await call('mark_contract_ready_for_signature', { contractId })
    expect(contract).toMatchObject({ status: 'readyForSignature', finalSha256 })
    const { rows } = await world.database.pool.query<{ final_file_id: string }>(
      'select final_file_id from supplier_contracts where id = $1',
      [contractId],
    )
    const stored = await world.services.files.open(toStorageKey({ tenantId: place.tenantId, id: rows[0]!.final_file_id }))
    expect(
      createHash('sha256')
        .update(await buffer(stored!))
        .digest('hex'),
    ).toBe(finalSha256)
    expect((await refused('mark_contract_ready_for_signature', { contractId })).code).toBe('precondition_failed')
  })

  it("names contract clauses that are not agreed, and allows acceptAll only for the organizer's own version", async () => {
    const { contractId } = await signing.contract()
    const { contractId: theirs } = await signing.contract({ writtenBy: 'supplier' })
    await world.database.pool.query(`update contract_clauses set state = 'open' where contract_id = any($1) and key = 'attrition'`, [
      [contractId, theirs],
    ])
    expect((await refused('mark_contract_ready_for_signature', { contractId })).message).toContain('attrition (open)')
    expect((await refused('mark_contract_ready_for_signature', { contractId: theirs, acceptAll: true })).message).toContain('acceptAll')
    expect((await call('mark_contract_ready_for_signature', { contractId, acceptAll: true })).contract.status).toBe('readyForSignature')
  })

  it('stores one final document for two concurrent calls', async () => {
    const { contractId } = await signing.contract()
    const answers = await Promise.all(
      [1, 2].map(() => organizer.answer('mark_contract_ready_for_signature', { eventCode: place.eventCode, contractId })),
    )
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1)
  })

  it('refuses a contract for signature while clauses have missing values', async () => {
    const clauses = MILESTONE_CLAUSES.map((one) => (one.key === 'cutoff' ? { ...one, vars: { cutoffOn: null } } : one))
    const { contractId } = await signing.contract({ clauses })
    expect((await refused('mark_contract_ready_for_signature', { contractId })).message).toContain('cutoff.cutoffOn')
  })
})

describe('send_contract_for_signature', () => {
  it('emails only the first signer, and shows all recipients in a dry run', async () => {
    const { contractId } = await readyContract()
    const preview = await call('send_contract_for_signature', { contractId, signers: TWO_SIGNERS, dryRun: true })
    expect(preview.effects.recipients).toBe(1)
    const { envelope, contract } = await call('send_contract_for_signature', { contractId, signers: TWO_SIGNERS })
    expect(contract.status).toBe('outForSignature')
    expect(envelope).toMatchObject({ status: 'sent', provider: 'embedded', signers: [{ status: 'sent' }, { status: 'waiting' }] })
    expect((await refused('send_contract_for_signature', { contractId, signers: TWO_SIGNERS })).code).toBe('conflict')
  })

  it('refuses to send a contract that is not ready, or to signers of one side, repeated people or shared addresses', async () => {
    const { contractId } = await readyContract()
    const [client, supplier] = TWO_SIGNERS
    const send = (signers: object[]) => refused('send_contract_for_signature', { contractId, signers })
    expect((await send([client, { ...client, email: 'other@client.example' }])).code).toBe('precondition_failed')
    expect((await send([client, supplier, { ...client, order: 3 }])).message).toContain('named twice')
    expect((await send([client, { ...supplier, email: 'MARTA@client.example' }])).message).toContain('both sides')
    const { contractId: draft } = await signing.contract()
    expect((await refused('send_contract_for_signature', { contractId: draft, signers: TWO_SIGNERS })).code).toBe('precondition_failed')
  })

  it('names the missing DocuSign settings when a contract is to be sent with DocuSign', async () => {
    const { contractId } = await readyContract()
    const refusal = await refused('send_contract_for_signature', { contractId, signers: TWO_SIGNERS, provider: 'docusign' })
    expect(refusal.code).toBe('unavailable')
    expect(refusal.message).toContain('LANYARD_DOCUSIGN_PRIVATE_KEY')
  })
})

describe('contract signing', () => {
  it('executes the contract with the last signature, and seals the signed files so that they can be verified', async () => {
    const { contractId, supplierId, envelope, signers } = await sentContract()
    const hotelId = await createHotelAt(world, place, {
      code: 'signed',
      contract: { cutoffOn: '2027-05-20' },
      roomTypes: [
        {
          code: 'standard',
          name: 'Standard',
          beds: [],
          maxOccupancy: 2,
          nights: [{ from: '2027-06-10', until: '2027-06-13', rooms: 100, single: 20000 }],
        },
      ],
    })
    await world.database.pool.query(`update event_hotels set supplier_id = $1 where id = $2`, [supplierId, hotelId])
    await world.database.pool.query(`update housing_contracts set status = 'tentative' where hotel_id = $1`, [hotelId])
    expect(await signing.open(signers[0]!.id)).toEqual({ kind: 'right' })
    expect(await signing.sign(signers[0]!.id)).toEqual({ isComplete: false })
    await signing.open(signers[1]!.id)
    expect(await signing.sign(signers[1]!.id)).toEqual({ isComplete: true })
    const { rows } = await world.database.pool.query<any>(
      `select c.status, h.status as rooms, h.cutoff_on, h.attrition, h.sourcing_contract_id as linked,
        (select count(*)::int from milestones m where m.contract_id = c.id) as milestones,
        (select contracted from room_nights n where n.hotel_id = h.hotel_id and n.night = '2027-06-12') as third,
        (select max(number) from housing_addenda a where a.hotel_id = h.hotel_id) as addendum
       from supplier_contracts c, housing_contracts h where c.id = $1 and h.hotel_id = $2`,
      [contractId, hotelId],
    )
    expect(rows[0]).toMatchObject({
      status: 'executed',
      rooms: 'definite',
      cutoff_on: '2027-05-11',
      linked: contractId,
      third: 50,
      addendum: 1,
      attrition: { commitPercent: 80 },
    })
    expect(rows[0].milestones).toBeGreaterThan(5)
    const breaks = await world.database.pool.query('select n from signature_chain_breaks($1, $2) where envelope_id = $3', [
      place.tenantId,
      place.eventId,
      envelope.id,
    ])
    expect(breaks.rows).toEqual([])
    await sealCompletedEnvelopes(world)
    const { rows: files } = await world.database.pool.query<{ signed_file_id: string; certificate_file_id: string }>(
      'select signed_file_id, certificate_file_id from signature_envelopes where id = $1',
      [envelope.id],
    )
    for (const id of [files[0]!.signed_file_id, files[0]!.certificate_file_id]) {
      const file = await buffer((await world.services.files.open(toStorageKey({ tenantId: place.tenantId, id })))!)
      expect(await verifyFile(world.database.read, file)).toMatchObject({ kind: 'valid', isSealIntact: true, isChainComplete: true })
      const changed = Buffer.from(file)
      changed[Math.floor(file.length / 2)]! ^= 1
      expect((await verifyFile(world.database.read, changed)).kind).toBe('changed')
    }
    expect(await verifyFile(world.database.read, Buffer.from('%PDF-1.7 other'))).toMatchObject({ kind: 'unknown' })
    const { rows: copies } = await world.database.pool.query(
      `select 1 from messages where email_code = 'signature-copy' and source_id = $1`,
      [envelope.id],
    )
    expect(copies).toHaveLength(2)
    expect((await refused('void_contract_envelope', { contractId, reason: 'too late' })).message).toContain('already executed on')
  })

  it('invalidates a signing code after three wrong attempts or fifteen minutes', async () => {
    const { signers } = await sentContract()
    const link = await signing.link(signers[0]!.id)
    const at = <T>(run: Parameters<typeof inEventTransaction<T>>[2]) => inEventTransaction(world, place, run)
    await at((ctx) => issueSignerCode(ctx, link, SIGNER_BROWSER))
    const code = await signing.latestCode(link.email)
    const wrong = code === '000000' ? '111111' : '000000'
    const guess = (text: string) => at((ctx) => verifySignerCode(ctx, link, text, SIGNER_BROWSER))
    expect([await guess(wrong), await guess(wrong), await guess(wrong)]).toEqual([2, 1, 0].map((left) => ({ kind: 'wrong', left })))
    expect(await guess(code)).toEqual({ kind: 'none' })
    await at((ctx) => issueSignerCode(ctx, link, SIGNER_BROWSER))
    const second = await signing.latestCode(link.email)
    await world.clock.advance('16 minutes')
    await world.renewTokens()
    expect(await guess(second)).toEqual({ kind: 'none' })
  })

  it('refuses a signature before the signing code is entered, out of turn, and after the envelope was voided', async () => {
    const { contractId, signers } = await sentContract()
    await expect(signing.sign(signers[0]!.id)).rejects.toThrow('code')
    await signing.open(signers[0]!.id)
    await call('void_contract_envelope', { contractId, reason: 'Wrong rates' })
    await expect(signing.sign(signers[0]!.id)).rejects.toThrow('voided')
    expect((await refused('void_contract_envelope', { contractId, reason: 'again please' })).code).toBe('precondition_failed')
    expect((await call('send_contract_for_signature', { contractId, signers: TWO_SIGNERS })).contract.status).toBe('outForSignature')
  })

  it('returns a declined contract to redlining with the reason', async () => {
    const { contractId, signers } = await sentContract()
    await signing.open(signers[0]!.id)
    const link = await signing.link(signers[0]!.id)
    await inEventTransaction(world, place, (ctx) => declineDocument(ctx, link, 'The rates are wrong', SIGNER_BROWSER))
    const { rows } = await world.database.pool.query(
      `select c.status, v.status as envelope, s.declined_reason from supplier_contracts c join signature_envelopes v on v.contract_id = c.id
       join envelope_signers s on s.envelope_id = v.id and s.status = 'declined' where c.id = $1`,
      [contractId],
    )
    expect(rows).toEqual([{ status: 'redlinesReceived', envelope: 'declined', declined_reason: 'The rates are wrong' }])
  })
})

describe('the room contract of a signed contract', () => {
  const query = async (text: string, values: unknown[]) => (await world.database.pool.query<any>(text, values)).rows
  const readHotel = async (hotelId: string) =>
    (
      await query(
        `select c.status, c.attrition, c.comp_per as comp, c.sourcing_contract_id as linked, h.tax_percent::float as tax, h.fee_per_night::int as fee,
           (select changes from housing_addenda a where a.hotel_id = h.id order by number desc limit 1) as addendum
         from event_hotels h join housing_contracts c on c.hotel_id = h.id where h.id = $1`,
        [hotelId],
      )
    )[0]
  const listRooms = async (hotelId: string) =>
    (await query('select room_type_code, contracted from room_nights where hotel_id = $1 order by night, 1', [hotelId])).map(
      ({ room_type_code, contracted }) => [room_type_code, contracted],
    )

  async function awarded(content = RESPONSE_A) {
    const rows = createSourcingFixtures(world, place)
    const supplierId = await rows.supplier(`Signed hotel ${newId()}`)
    const rfpId = await rows.rfp(await rows.brief(), { dueInDays: -1, status: 'closed' })
    const awardId = await rows.award(rfpId, await rows.response(await rows.recipient(rfpId, supplierId), content))
    return { awardId, supplierId, publish: async () => (await call('publish_award_to_block', { awardId })).hotels[0] }
  }

  /** Creates the contract of an award, changes its clauses and has both sides sign it. */
  async function signContract(awardId: string, clauses: object[] = []): Promise<string> {
    const { contract } = await call('create_contract_from_award', { awardId })
    if (clauses.length > 0) await call('add_contract_version', { contractId: contract.id, clauses })
    await call('submit_contract_to_supplier', { contractId: contract.id })
    await call('mark_contract_ready_for_signature', { contractId: contract.id, acceptAll: true })
    const { envelope } = await call('send_contract_for_signature', { contractId: contract.id, signers: TWO_SIGNERS })
    for (const { id } of await signing.signers(envelope.id)) {
      await signing.open(id)
      await signing.sign(id)
    }
    return contract.id
  }

  it('takes over the signed fee, tax and share, and drops the terms of removed clauses', async () => {
    const { awardId, publish } = await awarded()
    const { hotelId } = await publish()
    expect(await readHotel(hotelId)).toMatchObject({ status: 'tentative', tax: 14, fee: 500, comp: 50 })
    const contractId = await signContract(awardId, [
      { key: 'rates', vars: { feePerNight: '0.00 EUR', taxPercent: 10 } },
      { key: 'comps', remove: true },
      { key: 'attrition', vars: { commitPercent: 85 } },
    ])
    expect(await readHotel(hotelId)).toMatchObject({
      status: 'definite',
      tax: 10,
      fee: 0,
      comp: null,
      attrition: { method: 'cumulative', commitPercent: 85 },
      addendum: { terms: { taxPercent: 10, feePerNight: 0, compPer: null } },
    })
    // The deposit clause states 10 percent of the committed amount, which is 0.85 · 50,000 + 30,000 + 10,000.
    const { milestones } = await call('list_milestones', { contractId, limit: 100 })
    expect(milestones.find(({ code }: { code: string }) => code === 'deposit').amountAtRisk).toEqual({ amount: '8250.00', currency: 'EUR' })
  })

  it('has no attrition if the clause was removed, and keeps terms that were signed as awarded', async () => {
    const { awardId, publish } = await awarded()
    const { hotelId } = await publish()
    await signContract(awardId, [{ key: 'attrition', remove: true }])
    expect(await readHotel(hotelId)).toMatchObject({ status: 'definite', attrition: { method: 'none' }, comp: 50, tax: 14, fee: 500 })
    expect((await readHotel(hotelId)).attrition).not.toHaveProperty('commitPercent')
  })

  it('divides the signed rooms of a night between room types in proportion', async () => {
    const rooms = RESPONSE_A.rooms.flatMap((one) => [
      { ...one, roomType: 'Standard room', rooms: one.rooms - 20 },
      { ...one, roomType: 'Deluxe room', rooms: 20, rates: { single: 25_000 } },
    ])
    const { awardId, publish } = await awarded({ ...RESPONSE_A, rooms })
    const { hotelId } = await publish()
    await signContract(awardId, [
      { key: 'roomBlock', vars: { night1Rooms: 90, night2Rooms: 90, night3Rooms: 40 } },
      { key: 'rates', vars: { rate2Single: '240.00 EUR' } },
    ])
    expect(await listRooms(hotelId)).toEqual([
      ['deluxe-room', 18],
      ['standard-room', 72],
      ['deluxe-room', 18],
      ['standard-room', 72],
      ['deluxe-room', 16],
      ['standard-room', 24],
    ])
    const rates = await query(
      'select distinct room_type_code as type, rate_single::int as rate from room_nights where hotel_id = $1 order by 1',
      [hotelId],
    )
    expect(rates).toEqual([
      { type: 'deluxe-room', rate: 24_000 },
      { type: 'standard-room', rate: 20_000 },
    ])
  })

  it('becomes definite at a hotel that was found by its id in the hotel catalog', async () => {
    const { awardId, supplierId, publish } = await awarded()
    const hotelId = await inEventTransaction(world, place, (ctx) =>
      addHotel(ctx, { code: 'catalog', name: 'Catalog hotel', roomTypes: [] }),
    )
    await query(`update event_hotels set catalog_ref = 'osm:node/1' where id = $1`, [hotelId])
    await query(`update suppliers set catalog_ref = 'osm:node/1' where id = $1`, [supplierId])
    expect((await publish()).hotelId).toBe(hotelId)
    const contractId = await signContract(awardId)
    expect(await readHotel(hotelId)).toMatchObject({ status: 'definite', linked: contractId })
  })

  it('takes effect when the award is published after the signature, and only then', async () => {
    const { awardId, publish } = await awarded()
    const contractId = await signContract(awardId, [
      { key: 'attrition', vars: { commitPercent: 70 } },
      { key: 'roomBlock', vars: { night3Rooms: 40 } },
    ])
    const published = await publish()
    expect(published).toMatchObject({ created: true, contracted: 240 })
    const signed = { status: 'definite', linked: contractId, attrition: { commitPercent: 70 } }
    expect(await readHotel(published.hotelId)).toMatchObject(signed)
    await call('amend_contract', { hotelId: published.hotelId, terms: { attrition: { commitPercent: 60 } }, reason: 'Agreed by phone' })
    expect(await publish()).toMatchObject({ hotelId: published.hotelId, created: false, contracted: 240 })
    expect(await readHotel(published.hotelId)).toMatchObject({ ...signed, attrition: { commitPercent: 60 } })
  })
})
