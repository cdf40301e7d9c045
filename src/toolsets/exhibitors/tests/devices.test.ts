import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Exhibitors, createExhibitorFixtures } from '../../../../test/support/companies.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'

describe('manage_device', () => {
  let world: World
  let home: EventHandle
  let exhibitors: Exhibitors
  let olga: OrganizerHandle
  const manage = (more: object) => olga.call('manage_device', { eventCode: home.eventCode, ...more })

  beforeAll(async () => {
    world = await newWorld()
    home = await world.event()
    exhibitors = createExhibitorFixtures(world, home)
    olga = await world.organizer({ role: 'exhibits', at: home })
  })
  afterAll(() => world.end())

  it('frees the licence seat of a revoked device at once, and changes nothing for a device that is already revoked', async () => {
    const { id: companyId } = await exhibitors.company()
    const lost = await exhibitors.device(companyId, { seats: 2, name: 'Lost' })
    expect(await manage({ action: 'list', companyId })).toMatchObject({
      devices: [{ id: lost, name: 'Lost', status: 'active', captures: 0, company: { companyId } }],
      seats: { total: 2, used: 1, left: 1 },
      total: 1,
    })
    const revoked = await manage({ action: 'revoke', deviceIds: [lost, lost] })
    expect(revoked).toMatchObject({ changed: 1, devices: [{ status: 'revoked' }], seats: { total: 2, used: 0, left: 2 } })
    expect(await manage({ action: 'revoke', deviceIds: [lost] })).toMatchObject({ changed: 0 })
    expect(await manage({ action: 'list', companyId, status: 'active' })).toMatchObject({ devices: [], total: 0 })
  })

  it('revokes a device once for two concurrent calls', async () => {
    const { id: companyId } = await exhibitors.company()
    const deviceIds = [await exhibitors.device(companyId), await exhibitors.device(companyId)]
    const answers = await Promise.all([0, 1].map(() => manage({ action: 'revoke', deviceIds })))
    expect(new Set(answers.map(({ changed }) => changed))).toEqual(new Set([0, 2]))
  })

  it('revokes all devices of one company and none of other companies', async () => {
    const [here, elsewhere] = [await exhibitors.company(), await exhibitors.company()]
    for (const { id } of [here, here, elsewhere]) await exhibitors.device(id)
    expect(await manage({ action: 'reset_all', companyId: here.id })).toMatchObject({ changed: 2, seats: { total: 2, used: 0 } })
    expect(await manage({ action: 'list', companyId: elsewhere.id })).toMatchObject({ devices: [{ status: 'active' }] })
    expect(await manage({ action: 'reset_all', companyId: here.id })).toMatchObject({ changed: 0, devices: [] })
  })

  it('names missing arguments of a device action, and arguments that the action does not accept', async () => {
    const { id: companyId } = await exhibitors.company()
    const refused = await olga.refused('manage_device', { eventCode: home.eventCode, action: 'rename', companyId })
    expect(refused.message).toContain('deviceId: is required for action rename')
    expect(refused.message).toContain('companyId: is not accepted by action rename')
  })

  it('lets users with the read permission list devices but not change them, and audits only changes', async () => {
    const { id: companyId } = await exhibitors.company()
    const deviceId = await exhibitors.device(companyId)
    const analyst = await world.organizer({ role: 'analyst', at: home })
    const audited = () => exhibitors.figure(`select count(*)::int as n from audit_entries where tool = 'manage_device'`)
    const before = await audited()
    expect(await analyst.call('manage_device', { eventCode: home.eventCode, action: 'get', deviceId })).toMatchObject({
      devices: [{ id: deviceId }],
    })
    const refused = await analyst.refused('manage_device', { eventCode: home.eventCode, action: 'rename', deviceId, name: 'Mine' })
    expect(refused.message).toBe('Forbidden — manage_device requires the exhibitors.write permission')
    expect(await audited()).toBe(before)
    expect(await manage({ action: 'rename', deviceId, name: 'Front desk' })).toMatchObject({
      devices: [{ name: 'Front desk' }],
      changed: 1,
    })
    expect(await audited()).toBe(before + 1)
  })
})
