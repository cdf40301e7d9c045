import { describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/ids.ts'
import { addMonths } from '../../../kernel/time.ts'
import { roomAnswer } from '../../../../test/support/hotels.ts'
import { addAttestation, type NewAttestation, reviewAttestation } from '../pci/records.ts'
import { getPciStatus, type PciRecordRow } from '../pci/status.ts'
import { findHotel } from '../find-hotel.ts'
import { roomsStory } from './rooms-scenario.ts'

const { story, newHotel, at, register } = roomsStory()
const REASON = 'The hotel renews its attestation this week.'

const recordOf = (more: Partial<PciRecordRow> = {}) =>
  ({ assessed_on: '2026-06-30', decision: 'accepted', result: 'compliant', property_covered: true, ...more }) as PciRecordRow

describe('getPciStatus', () => {
  it.each([
    ['2027-05-30', 'valid'],
    ['2027-05-31', 'expiring'],
    ['2027-06-30', 'expiring'],
    ['2027-07-01', 'expired'],
  ])('on %s, returns %s for an attestation that was assessed on 2026-06-30', (today, status) => {
    expect(getPciStatus(recordOf(), today)).toBe(status)
  })

  it('expires an attestation after twelve months, also on the last day of February', () => {
    expect([addMonths('2026-06-30', 12), addMonths('2024-02-29', 12), addMonths('2026-01-31', 1), addMonths('2026-03-31', -1)]).toEqual([
      '2027-06-30',
      '2025-02-28',
      '2026-02-28',
      '2026-02-28',
    ])
  })

  it('returns received before a review, and rejected by a decision, the result or an uncovered property', () => {
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
    for (let guest = 0; guest < number; guest++) await register(roomAnswer(hotelId, '2026-09-01', '2026-09-03'))
    await story.world.database.pool.query(
      `update reservations set guarantee_kind = 'card', guarantee_status = 'secured' where hotel_id = $1`,
      [hotelId],
    )
    return hotelId
  }
  const overrideFor = (hotelId: string, more: object = {}) => ({ hotelId, action: 'grant', reason: REASON, until: '2026-06-30', ...more })

  it('withholds cards from a hotel until an override, and again after its last day', async () => {
    const hotelId = await withCards(7)
    expect(await stateOf(hotelId)).toMatchObject({ status: 'missing', cardsWaiting: 7 })
    const { record, cardsReleased } = await story.call('override_hotel_pci_aoc', overrideFor(hotelId))
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

  it('sends cards to a hotel whose attestation was accepted, not to one whose attestation was rejected', async () => {
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

  it('rejects an override for a valid attestation, a failed assessment, an invalid date or a short reason', async () => {
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
