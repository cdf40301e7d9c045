import { describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/ids.ts'
import { addMonths } from '../../../kernel/time.ts'
import { buildRoomAnswers } from '../../../../test/support/hotels.ts'
import { addAttestation, type NewAttestation, reviewAttestation } from '../pci/records.ts'
import { getPciStatus, type PciRecordRow, selectEffectiveAttestation } from '../pci/status.ts'
import { findHotel } from '../find-hotel.ts'
import { roomsStory } from './rooms-scenario.ts'

const { story, newHotel, at, register, refused, stay } = roomsStory()
const REASON = 'The hotel renews its attestation this week.'

const recordOf = (more: Partial<PciRecordRow> = {}) =>
  ({ assessed_on: '2026-06-30', decision: 'accepted', result: 'compliant', property_covered: true, ...more }) as PciRecordRow

describe('getPciStatus', () => {
  it.each([
    ['2027-04-30', 'valid'],
    ['2027-05-01', 'expiring'],
    ['2027-06-30', 'expiring'],
    ['2027-07-01', 'expired'],
  ])('returns on %s the status %s for a PCI attestation that was assessed on 2026-06-30', (today, status) => {
    expect(getPciStatus(recordOf(), today)).toBe(status)
  })

  it('expires a PCI attestation after twelve months, also on the last day of February', () => {
    expect([addMonths('2026-06-30', 12), addMonths('2024-02-29', 12), addMonths('2026-01-31', 1), addMonths('2026-03-31', -1)]).toEqual([
      '2027-06-30',
      '2025-02-28',
      '2026-02-28',
      '2026-02-28',
    ])
  })

  it('gives a PCI attestation the status received before its review, and rejected after a negative review or result', () => {
    expect(getPciStatus(null, '2027-01-01')).toBe('missing')
    expect(getPciStatus(recordOf({ decision: null }), '2027-01-01')).toBe('received')
    expect(getPciStatus(recordOf({ decision: 'rejected' }), '2027-01-01')).toBe('rejected')
    expect(getPciStatus(recordOf({ result: 'nonCompliant' }), '2027-01-01')).toBe('rejected')
    expect(getPciStatus(recordOf({ property_covered: false }), '2027-01-01')).toBe('rejected')
  })
})

describe('override_hotel_pci_aoc and reviewAttestation', () => {
  const attest = async (hotelId: string, more: Partial<NewAttestation> = {}) => {
    const fileId = newId()
    await story.world.database.pool.query(
      `insert into files (tenant_id, id, purpose, name, mime, size, sha256, created_by)
       values ($1, $2, 'contract', 'aoc.pdf', 'application/pdf', 1, sha256('x'), 'test')`,
      [story.event.tenantId, fileId],
    )
    return at(async (ctx) =>
      addAttestation(ctx, (await findHotel(ctx, hotelId)).hotel, {
        documentType: 'AOC-SAQ',
        dssVersion: '4.0.1',
        entityLegalName: 'Grand Hotel SA',
        propertyCovered: true,
        result: 'compliant',
        assessedOn: '2026-01-15',
        signedBy: 'Eva Lindner',
        fileId,
        ...more,
      }),
    )
  }
  const review = (hotelId: string, recordId: string, decision: 'accepted' | 'rejected', reason?: string) =>
    at(async (ctx) => reviewAttestation(ctx, (await findHotel(ctx, hotelId)).hotel, { recordId, decision, reason }))
  const stateOf = async (hotelId: string) => (await story.call('list_hotel_pci_records', { hotelId })).records[0]
  const withCards = async (number: number) => {
    const hotelId = await newHotel()
    for (let guest = 0; guest < number; guest++) await register(buildRoomAnswers(hotelId, '2026-09-01', '2026-09-03'))
    await story.world.database.pool.query(
      `update reservations set guarantee_kind = 'card', guarantee_status = 'secured' where hotel_id = $1`,
      [hotelId],
    )
    return hotelId
  }
  const overrideFor = (hotelId: string, more: object = {}) => ({ hotelId, action: 'grant', reason: REASON, until: '2026-06-30', ...more })

  const OVERRIDE = 'override_hotel_pci_aoc'
  const organizer = async () => {
    const { call, refused } = await story.world.organizer({ at: story.event })
    const here = (args: object) => ({ eventCode: story.event.eventCode, ...args })
    return { call: (args: object) => call(OVERRIDE, here(args)), refused: (args: object) => refused(OVERRIDE, here(args)) }
  }

  it('withholds payment cards from a hotel until two people approve a PCI override, and again after it expires', async () => {
    const hotelId = await withCards(7)
    expect(await stateOf(hotelId)).toMatchObject({ status: 'missing', cardsWaiting: 7 })
    const requested = await story.call(OVERRIDE, overrideFor(hotelId))
    expect([requested.record.cardsWaiting, requested.cardsReleased, requested.record.override]).toEqual([7, 0, undefined])
    const { record, cardsReleased } = await (await organizer()).call(overrideFor(hotelId))
    expect([record.cardsWaiting, cardsReleased, record.override.until]).toEqual([0, 7, '2026-06-30'])
    const atMoment = async (instant: string) => {
      await story.world.clock.stopAt(instant)
      await story.world.renewTokens()
    }
    await atMoment('2026-06-30T20:00:00Z')
    expect((await stateOf(hotelId)).cardsWaiting).toBe(0)
    await atMoment('2026-07-01T20:00:00Z')
    expect(await stateOf(hotelId)).toMatchObject({ cardsWaiting: 7 })
    expect((await stateOf(hotelId)).override).toBeUndefined()
    await atMoment('2026-04-10T12:00:00Z')
  })

  it('releases payment cards to a hotel with an accepted PCI attestation, but not with a rejected one', async () => {
    const hotelId = await withCards(1)
    const recordId = await attest(hotelId)
    expect(await stateOf(hotelId)).toMatchObject({ status: 'received', cardsWaiting: 1 })
    await review(hotelId, recordId, 'accepted')
    expect(await stateOf(hotelId)).toMatchObject({ status: 'valid', cardsWaiting: 0, validUntil: '2027-01-15' })
    await expect(review(hotelId, recordId, 'rejected', 'A wrong document')).rejects.toMatchObject({ code: 'conflict' })
    const later = await attest(hotelId)
    await review(hotelId, later, 'rejected', 'It names another property')
    expect(await stateOf(hotelId)).toMatchObject({ status: 'rejected', reviewReason: 'It names another property', cardsWaiting: 1 })
  })

  it('reports an accepted PCI attestation as expiring 60 days before its last day, in the list of records and in query_data', async () => {
    // On 2026-04-10 the attestations end in 61, 60 and 0 days, and one ended yesterday.
    const ends = ['2025-06-10', '2025-06-09', '2025-04-10', '2025-04-09']
    const states: unknown[] = []
    for (const [index, assessedOn] of ends.entries()) {
      const hotelId = await newHotel({ code: `attested-${index}` })
      await review(hotelId, await attest(hotelId, { assessedOn }), 'accepted')
      const { rows } = await story.call('query_data', {
        entity: 'hotel',
        fields: ['pciStatus'],
        filter: { field: 'code', op: 'equals', value: `attested-${index}` },
      })
      states.push([(await stateOf(hotelId)).status, rows[0].pciStatus])
    }
    expect(states).toEqual(['valid', 'expiring', 'expiring', 'expired'].map((status) => [status, status]))
  })

  it('requires an attestation of the hotel before a stay moves there, but not to change a stay at the same hotel', async () => {
    const housing = { enabled: true, seeAvailability: 'exact', minNights: 2, maxNights: 5 }
    await story.publish({ housing: { ...housing, guarantee: 'card', pciGate: 'booking' } })
    const [open, closed, other] = [await newHotel(), await newHotel(), await newHotel()]
    for (const hotelId of [open, other]) await review(hotelId, await attest(hotelId), 'accepted')
    const refusal = { code: 'precondition_failed', message: expect.stringContaining('cannot be booked yet') }
    expect(await refused(buildRoomAnswers(closed, '2026-09-01', '2026-09-03'))).toMatchObject(refusal)
    const { participant } = await register(buildRoomAnswers(open, '2026-09-01', '2026-09-03'))
    const change = (data: object) => ({ participantId: participant.id, data })
    expect(await story.refused('edit_participant', change({ '@housing.hotelId': closed }))).toMatchObject(refusal)
    await review(open, await attest(open), 'rejected', 'It names another property')
    await story.call('edit_participant', change({ '@housing.checkOut': '2026-09-04' }))
    await story.call('edit_participant', change({ '@housing.hotelId': other }))
    expect(await stay(participant.id)).toMatchObject({ status: 'confirmed', checkOut: '2026-09-04' })
    await story.publish({ housing: { ...housing, guarantee: 'none', pciGate: 'transfer' } })
  })

  it('keeps an accepted PCI attestation in force while a newer one waits for its review', async () => {
    const hotelId = await withCards(1)
    await review(hotelId, await attest(hotelId), 'accepted')
    const renewed = await attest(hotelId, { assessedOn: '2026-04-01', documentType: 'AOC-ROC' })
    expect(await stateOf(hotelId)).toMatchObject({
      status: 'valid',
      cardsWaiting: 0,
      validUntil: '2027-01-15',
      renewal: { documentType: 'AOC-ROC', assessedOn: '2026-04-01' },
    })
    // A third upload replaces the second one as the attestation to review.
    const last = await attest(hotelId, { assessedOn: '2026-04-02' })
    expect((await stateOf(hotelId)).renewal.assessedOn).toBe('2026-04-02')
    await review(hotelId, renewed, 'accepted')
    expect(await stateOf(hotelId)).toMatchObject({ validUntil: '2027-04-01', renewal: { assessedOn: '2026-04-02' } })
    await review(hotelId, last, 'accepted')
    const accepted = await stateOf(hotelId)
    expect([accepted.validUntil, accepted.renewal]).toEqual(['2027-04-02', undefined])
    // A hotel that reports that it is not compliant receives no cards, whatever was accepted before.
    await attest(hotelId, { result: 'nonCompliant' })
    expect(await stateOf(hotelId)).toMatchObject({ status: 'rejected', cardsWaiting: 1 })
  })

  it('does not keep an expired or rejected PCI attestation in force while a newer one waits for its review', () => {
    const [older, newer] = [new Date('2026-01-01'), new Date('2026-02-01')]
    const renewed = recordOf({ id: 'b', created_at: newer, decision: null })
    for (const before of [{ decision: 'rejected' as const }, { assessed_on: '2025-01-01' }]) {
      const record = recordOf({ id: 'a', created_at: older, ...before })
      expect(selectEffectiveAttestation([record, renewed], '2026-07-01')).toEqual({ record: renewed, renewal: null })
    }
    const accepted = recordOf({ id: 'a', created_at: older })
    expect(selectEffectiveAttestation([renewed, accepted], '2027-06-30')).toEqual({ record: accepted, renewal: renewed })
    expect(selectEffectiveAttestation([renewed, accepted], '2027-07-01')).toEqual({ record: renewed, renewal: null })
  })

  it('requires a second person for a PCI override without a reviewed attestation, even after repeated requests', async () => {
    const [hotelId, neighbour] = [await withCards(3), await withCards(2)]
    const second = await organizer()
    const emails = () => story.queryNumber(`select count(*)::int as figure from messages where email_code = 'hotel-cards-released'`)
    const before = await emails()
    for (const until of ['2026-05-30', '2026-05-20']) {
      const { record, cardsReleased } = await story.call(OVERRIDE, overrideFor(hotelId, { until }))
      expect([record.overrideRequest.until, record.override, cardsReleased]).toEqual([until, undefined, 0])
    }
    // An attestation that waits for its review has no first person yet.
    await attest(hotelId)
    expect((await story.call(OVERRIDE, overrideFor(hotelId, { until: '2026-05-20' }))).record).toMatchObject({
      status: 'received',
      cardsWaiting: 3,
    })
    expect(await emails()).toBe(before)
    expect(await second.refused(overrideFor(hotelId, { until: '2026-05-21' }))).toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining('must be at most 2026-05-20, as Olga Organizer requested'),
    })
    const granted = await second.call(overrideFor(hotelId, { until: '2026-05-19' }))
    expect([granted.cardsReleased, granted.record.override.until, granted.record.overrideRequest]).toEqual([3, '2026-05-19', undefined])
    expect(await emails()).toBeGreaterThan(before)
    expect((await stateOf(neighbour)).cardsWaiting).toBe(2)
    // A later day needs two people again; until then the first override stays in force.
    const longer = await second.call(overrideFor(hotelId))
    expect([longer.cardsReleased, longer.record.override.until, longer.record.overrideRequest.until]).toEqual([
      0,
      '2026-05-19',
      '2026-06-30',
    ])
    expect((await story.call(OVERRIDE, overrideFor(hotelId))).record.override.until).toBe('2026-06-30')
    expect((await story.call(OVERRIDE, { hotelId, action: 'revoke', reason: REASON })).cardsReleased).toBe(-3)
    expect(await second.refused({ hotelId, action: 'revoke', reason: REASON })).toMatchObject({ code: 'precondition_failed' })
  })

  it('cancels a requested PCI override with revoke, and does not grant a request whose last day has passed', async () => {
    const [cancelled, late] = [await withCards(1), await withCards(1)]
    const second = await organizer()
    await story.call(OVERRIDE, overrideFor(cancelled))
    expect((await second.call({ hotelId: cancelled, action: 'revoke', reason: REASON })).record.overrideRequest).toBeUndefined()
    expect((await second.call(overrideFor(cancelled))).record).toMatchObject({ cardsWaiting: 1, overrideRequest: { until: '2026-06-30' } })
    await story.call(OVERRIDE, overrideFor(late, { until: '2026-04-12' }))
    await story.world.clock.stopAt('2026-04-13T12:00:00Z')
    await story.world.renewTokens()
    expect((await second.call(overrideFor(late, { until: '2026-04-14' }))).record).toMatchObject({ cardsWaiting: 1 })
    await story.world.clock.stopAt('2026-04-10T12:00:00Z')
  })

  it('prevents with a database constraint that one person both requests and grants a PCI override', async () => {
    const hotelId = await withCards(1)
    await story.call(OVERRIDE, overrideFor(hotelId))
    const grantAlone = `update hotel_pci_overrides set granted_by = requested_by, granted_by_name = requested_by_name, granted_at = now()
      where hotel_id = '${hotelId}'`
    await expect(story.world.database.pool.query(grantAlone)).rejects.toMatchObject({ constraint: 'hotel_pci_overrides_second_person' })
    const control = grantAlone.replace('granted_by = requested_by', `granted_by = 'another'`)
    await story.world.database.pool.query(control)
    expect((await stateOf(hotelId)).cardsWaiting).toBe(0)
  })

  it('rejects an override of the PCI requirement by the person who reviewed the attestation', async () => {
    const hotelId = await withCards(1)
    const recordId = await attest(hotelId)
    await review(hotelId, recordId, 'rejected', 'It names another property')
    const reviewedBy = (id: string) =>
      story.world.database.pool.query('update hotel_pci_records set reviewed_by = $1 where id = $2', [id, recordId])
    const own = `select requested_by as id from hotel_pci_overrides order by id limit 1`
    await reviewedBy((await story.world.database.pool.query<{ id: string }>(own)).rows[0]!.id)
    expect(await story.refused('override_hotel_pci_aoc', overrideFor(hotelId))).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('A second person must grant the override'),
    })
    await reviewedBy(newId())
    expect((await story.call('override_hotel_pci_aoc', overrideFor(hotelId))).cardsReleased).toBe(1)
  })

  it('rejects a PCI override for a valid attestation, a failed assessment, an invalid date or a short reason', async () => {
    const valid = await newHotel()
    await review(valid, await attest(valid), 'accepted')
    expect(await story.refused('override_hotel_pci_aoc', overrideFor(valid))).toMatchObject({ code: 'precondition_failed' })
    const failed = await newHotel()
    await attest(failed, { result: 'nonCompliant' })
    expect(await story.refused('override_hotel_pci_aoc', overrideFor(failed))).toMatchObject({ code: 'precondition_failed' })
    const open = await newHotel()
    for (const until of ['2020-01-01', '2029-01-01'])
      expect(await story.refused('override_hotel_pci_aoc', overrideFor(open, { until }))).toMatchObject({ code: 'invalid_arguments' })
    expect(await story.refused('override_hotel_pci_aoc', overrideFor(open, { reason: 'too short' }))).toMatchObject({
      code: 'invalid_arguments',
    })
    expect(await story.refused('override_hotel_pci_aoc', { ...overrideFor(open), action: 'revoke' })).toMatchObject({
      code: 'precondition_failed',
    })
  })
})
