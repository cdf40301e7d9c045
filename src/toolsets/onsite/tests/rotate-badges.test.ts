import { createPublicKey, verify } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scanBadge } from '../../../domains/exhibitors/scan.ts'
import { checkIntegrity } from '../../../domains/orders/integrity/check.ts'
import { getBadgePublicKey } from '../../../kernel/badge-signature.ts'
import { Secret } from '../../../kernel/secrets.ts'
import { ANA_BADGE, openShowFloor, type ShowFloor } from '../../../../test/support/lead-requests.ts'
import { newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

let world: World
let floor: ShowFloor
let olga: OrganizerHandle
const rotate = (more: object) => olga.call('rotate_badge_id', { eventCode: floor.event.eventCode, reason: 'lost', ...more })
const refused = (more: object) => olga.refused('rotate_badge_id', { eventCode: floor.event.eventCode, reason: 'lost', ...more })
const enter = async (badge: string, more = {}) =>
  (await olga.call('record_attendance', { eventCode: floor.event.eventCode, scans: [{ badge, ...more }] })).results[0]

beforeAll(async () => {
  world = await newWorld()
  floor = await openShowFloor(world, { onsite: { duplicateSeconds: 0 } })
  await world.clock.stopAt('2027-03-01T10:00:00.000Z')
  olga = await world.organizer({ role: 'onsite', at: floor.event })
})
afterAll(() => world.end())

describe('rotate_badge_id', () => {
  it("revokes the former badge at gates and for leads, and keeps the person's leads and attendance", async () => {
    const company = await floor.createLicensedCompany()
    const { activationCode, badgeId: _badge, ...codes } = floor.leadRequest(company, ANA_BADGE)
    const capture = (badge: string) =>
      scanBadge(world.services, { ...codes, activationCode: new Secret(activationCode), badge, address: '192.0.2.1' })
    const first = await capture(ANA_BADGE)
    expect(first).toMatchObject({ kind: 'lead', lead: { captures: 1 } })
    expect(await enter(ANA_BADGE)).toMatchObject({ result: 'accepted' })
    const { rotated, skipped } = await rotate({ participantIds: [floor.ana, floor.ana] })
    expect(skipped).toEqual([])
    expect(rotated).toMatchObject([{ participantId: floor.ana, oldHint: ANA_BADGE.slice(-4) }])
    const { badgeId, payload } = rotated[0]
    expect(badgeId).toMatch(/^[0-9a-f]{16}$/)
    const old = await enter(ANA_BADGE)
    expect(old).toMatchObject({ result: 'refused', reason: 'revoked' })
    expect(old.participant).toBeUndefined()
    expect(await enter(payload)).toMatchObject({ result: 'accepted', participant: { id: floor.ana }, warnings: ['missed_out'] })
    expect(await capture(ANA_BADGE)).toMatchObject({ kind: 'refused', why: 'badge_not_found' })
    expect(await capture(payload)).toMatchObject({
      kind: 'lead',
      lead: { leadId: first.kind === 'lead' ? first.lead.leadId : '', captures: 2 },
    })
    const log = await olga.call('list_attendance', { eventCode: floor.event.eventCode, badgeId: ANA_BADGE, result: 'accepted' })
    expect(log.scans).toHaveLength(2)
  })

  it('signs the QR text of a badge so that an offline scanner can verify it', async () => {
    const id = await floor.people.person()
    const { rotated } = await rotate({ participantIds: [id] })
    const [badgeId, code, signature] = rotated[0].payload.split('|')
    expect([badgeId, code, signature.length]).toEqual([rotated[0].badgeId, floor.event.eventCode, 86])
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: getBadgePublicKey(world.services.keys, floor.event.eventId) },
      format: 'jwk',
    })
    const isSigned = (text: string) => verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'))
    expect(isSigned(`${badgeId}|${code}`)).toBe(true)
    expect(isSigned(`${badgeId}|other`)).toBe(false)
  })

  it('refuses badge ids that were used before, the sample badge, ids that contain the QR delimiter, and cancelled participants', async () => {
    const [one, other] = [await floor.people.person({ badge_id: '1111222233334444' }), await floor.people.person()]
    await rotate({ participantIds: [one], newBadgeIds: { [one]: 'aaaabbbbccccdddd' }, reason: 'damaged' })
    for (const used of ['1111222233334444', 'aaaabbbbccccdddd'])
      expect(await refused({ participantIds: [other], newBadgeIds: { [other]: used } })).toMatchObject({ code: 'conflict' })
    for (const wrong of ['0', 'aaaabbbbcccc|ddd', 'AAAABBBBCCCCDDDD', 'short'])
      expect(await refused({ participantIds: [other], newBadgeIds: { [other]: wrong } })).toMatchObject({ code: 'invalid_arguments' })
    expect(await refused({ participantIds: [other], newBadgeIds: { [one]: 'aaaabbbbccccddde' } })).toMatchObject({
      code: 'invalid_arguments',
    })
    const gone = await floor.people.person({ status: 'cancelled' })
    expect(await refused({ participantIds: [other, gone] })).toMatchObject({ code: 'precondition_failed' })
    const unfinished = await floor.people.person({ status: 'incomplete' })
    expect(await rotate({ participantIds: [unfinished] })).toMatchObject({
      rotated: [],
      skipped: [{ participantId: unfinished, reason: 'no_badge' }],
    })
    const [row] = (
      await world.database.pool.query<{ reason: string }>(`select reason from badge_id_history where badge_id = '1111222233334444'`)
    ).rows
    expect(row!.reason).toBe('damaged')
  })

  it('prevents the reuse of former badge ids in the database with every kind of statement', async () => {
    const [one, other] = [await floor.people.person({ badge_id: 'first' }), await floor.people.person()]
    const set = (id: string, badge: string) => world.database.pool.query('update participants set badge_id = $2 where id = $1', [id, badge])
    await set(one, 'second')
    await expect(set(other, 'first')).rejects.toThrow('was used before')
    await expect(set(one, 'first')).rejects.toThrow('was used before')
    await expect(floor.people.person({ badge_id: 'first' })).rejects.toThrow('was used before')
    const checked = await checkIntegrity(world.database.write, floor.event.tenantId, floor.event.eventId)
    expect(checked.find(({ id }) => id === 'X7')).toMatchObject({ ok: true })
  })

  it('assigns a badge id to only one of two people who receive it concurrently', async () => {
    const people = [await floor.people.person(), await floor.people.person()]
    const answers = await Promise.all(
      people.map((id) =>
        olga.answer('rotate_badge_id', {
          eventCode: floor.event.eventCode,
          reason: 'lost',
          participantIds: [id],
          newBadgeIds: { [id]: 'eeeeffff00001111' },
        }),
      ),
    )
    expect(new Set(answers.map(({ isError }) => isError ?? false))).toEqual(new Set([false, true]))
  })

  it('requires the new badge ids if an external provider issues them', async () => {
    await floor.exhibitors.publish({ badge: { provider: 'external', delimiter: ';', segmentIndex: 2 }, onsite: { duplicateSeconds: 0 } })
    const id = await floor.people.person({ badge_id: 'B-1008' })
    expect((await refused({ participantIds: [id] })).message).toContain('external provider')
    expect(await rotate({ participantIds: [id], newBadgeIds: { [id]: 'B-1009' } })).toMatchObject({
      rotated: [{ oldHint: '1008', badgeId: 'B-1009', payload: 'B-1009' }],
    })
    expect(await enter('X;44;b-1009;')).toMatchObject({ result: 'accepted' })
    expect(await enter('X;44;B-1008;')).toMatchObject({ reason: 'revoked' })
    expect(await enter('X;44')).toMatchObject({ reason: 'unknown_badge' })
    await floor.people.person({ badge_id: 'b-1009' })
    expect(await enter('X;44;B-1009;', { direction: 'out' })).toMatchObject({ result: 'accepted' })
    await floor.people.person({ badge_id: 'Case' })
    await floor.people.person({ badge_id: 'cASE' })
    expect(await enter('CASE')).toMatchObject({ result: 'refused', reason: 'ambiguous' })
  })
})
