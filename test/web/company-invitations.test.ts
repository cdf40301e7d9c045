import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEventLedger } from '../support/event-ledger.ts'
import { EXHIBITOR_SECTIONS, type ExhibitorScenario, openExhibitorScenario } from '../support/exhibitor-scenario.ts'
import { signInVisitor } from '../support/own-pages.ts'
import { openFormAs } from '../support/registration-form.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'

let fair: ExhibitorScenario
let served: Served
beforeAll(async () => {
  fair = await openExhibitorScenario({ baseUrl: await chooseFreeBaseUrl() })
  served = await serve(fair.scenario.world)
})
afterAll(() => fair.scenario.world.end())

let made = 0
const newCompany = async (more: object = {}) => {
  const number = ++made
  const email = `contact-of-${number}@example.org`
  const { id } = await fair.exhibitors.company({
    name: `Invited ${number}`,
    status: 'prospect',
    contact: { name: `Connie ${number}`, email },
    appointmentsEnabled: false,
    ...more,
  })
  return { id, name: `Invited ${number}`, email }
}
const statusOf = async (id: string) => (await fair.rows(`select status from companies where id = $1`, [id]))[0].status
const invite = async (companyId: string, email: string) => {
  await fair.manage('manage_company', { action: 'invite', companyIds: [companyId] })
  return fair.readInvitationLink(email)
}
const addStaff = async (companyId: string, email: string, role = 'staff') => {
  const people = [{ firstName: 'Jo', lastName: `Nr ${++made}`, email, role }]
  const { exhibitors } = await fair.manage('manage_exhibitors', { action: 'add', companyId, people })
  await fair.manage('manage_exhibitors', { action: 'invite', staffIds: [exhibitors[0].staffId] })
  return { staffId: exhibitors[0].staffId, link: await fair.readInvitationLink(email) }
}
const cancel = (participantId: string) => fair.scenario.call('edit_participant', { participantId, status: 'cancelled' })

describe('an invitation of a company', () => {
  it('makes the contact an admin and the company active when the contact registers with the invitation link', async () => {
    const company = await newCompany()
    const link = await invite(company.id, company.email)
    expect(await statusOf(company.id)).toBe('invited')
    expect((await visitor(served).get(link)).text).toContain(`You are registering for ${company.name}.`)
    await fair.register(served, company.email, { link })
    const person = await fair.findPerson(company.email)
    expect(person).toMatchObject({ status: 'complete', company_id: company.id })
    expect(await fair.listStaff(company.id)).toMatchObject([
      { name: 'Per Aas', email: company.email, role: 'admin', status: 'registered', pass: 'free', participant_id: person.id },
    ])
    expect(await statusOf(company.id)).toBe('active')
  })

  it('registers a staff member under the email address that they enter, and leaves the company unchanged', async () => {
    const company = await newCompany({ status: 'invited' })
    const { link } = await addStaff(company.id, 'jo-office@example.org')
    await fair.register(served, 'jo-home@example.org', { link })
    expect(await fair.listStaff(company.id)).toMatchObject([{ email: 'jo-home@example.org', role: 'staff', status: 'registered' }])
    expect(await statusOf(company.id)).toBe('invited')
  })

  it('accepts an invitation link once, so that a second registration with the link has no company', async () => {
    const company = await newCompany()
    const link = await invite(company.id, company.email)
    await fair.register(served, company.email, { link })
    await fair.register(served, 'second@example.org', { link, lastName: 'Second' })
    expect(await fair.findPerson('second@example.org')).toMatchObject({ status: 'complete', company_id: null })
    expect(await fair.listStaff(company.id)).toHaveLength(1)
    const staff = await addStaff(company.id, 'only-one@example.org')
    await fair.register(served, 'only-one@example.org', { link: staff.link })
    await fair.register(served, 'too-late@example.org', { link: staff.link, lastName: 'Late' })
    expect((await fair.findPerson('too-late@example.org')).company_id).toBeNull()
    expect(await fair.listStaff(company.id)).toHaveLength(2)
  })

  it('links a registration without the invitation link to the company only after the mailbox was verified', async () => {
    const company = await newCompany()
    await addStaff(company.id, 'by-address@example.org')
    await fair.register(served, 'by-address@example.org')
    expect((await fair.findPerson('by-address@example.org')).company_id).toBeNull()
    await addStaff(company.id, 'verified@example.org')
    const who = await signInVisitor(fair.scenario.world, served, fair.scenario.event, 'verified@example.org')
    await fair.register(served, 'verified@example.org', { who })
    expect((await fair.findPerson('verified@example.org')).company_id).toBe(company.id)
  })

  it('registers a person of two companies for the company of the invitation link, and for neither without a link', async () => {
    const [one, other] = [await newCompany(), await newCompany()]
    const email = 'wanted-twice@example.org'
    await addStaff(one.id, email)
    const { link } = await addStaff(other.id, email)
    const data = { '@participant.firstName': 'Wanda', '@participant.lastName': 'Twice', '@participant.email': email }
    const added = await fair.scenario.call('add_participant', { flowSlug: 'exhibitor', data })
    expect((await fair.findPerson(email)).company_id).toBeNull()
    await cancel(added.participant.id)
    await fair.register(served, email, { link })
    expect((await fair.findPerson(email)).company_id).toBe(other.id)
    expect(await fair.listStaff(one.id)).toMatchObject([{ status: 'invited', participant_id: null }])
  })

  it("keeps the company of a complete registration when the person registers again with another company's invitation", async () => {
    const [one, other] = [await newCompany(), await newCompany()]
    const email = 'settled@example.org'
    const { link } = await addStaff(one.id, email)
    const { link: second } = await addStaff(other.id, email)
    await fair.register(served, email, { link })
    const before = await fair.findPerson(email)
    // The visitor has not verified the mailbox, so that another registration begins, which must not change the first.
    await fair.register(served, email, { link: second })
    const [first] = await fair.rows(`select company_id, status from participants where id = $1`, [before.id])
    expect(first).toEqual({ company_id: one.id, status: 'complete' })
  })

  it('rejects the invitation of a removed person, a cancelled company or a replaced contact, and an altered link', async () => {
    const company = await newCompany()
    const contact = await invite(company.id, company.email)
    const { staffId, link } = await addStaff(company.id, 'leaves@example.org')
    await fair.scenario.callConfirmed('manage_exhibitors', { action: 'remove', staffId })
    expect((await visitor(served).get(link)).text).toContain('This invitation from an exhibitor is no longer valid.')
    await fair.register(served, 'leaves@example.org', { link })
    expect((await fair.findPerson('leaves@example.org')).company_id).toBeNull()
    const flipped = contact.slice(0, -1) + (contact.endsWith('A') ? 'B' : 'A')
    expect((await visitor(served).get(flipped)).text).toContain('no longer valid')
    await fair.rows(`update companies set contact_email = 'other@example.org' where id = $1`, [company.id])
    expect((await visitor(served).get(contact)).text).toContain('no longer valid')
    const { link: last } = await addStaff(company.id, 'closing@example.org')
    await fair.scenario.callConfirmed('manage_company', { action: 'cancel', companyId: company.id, reason: 'Insolvent' })
    expect((await visitor(served).get(last)).text).toContain('no longer valid')
    expect((await visitor(served).get(last.replace('/exhibitor?', '/attendee?'))).text).not.toContain('You are registering for')
  })

  it('keeps pass and role of booth staff whose registration is cancelled, and links their next registration to the company', async () => {
    const company = await newCompany()
    const link = await invite(company.id, company.email)
    await fair.register(served, company.email, { link })
    const first = await fair.findPerson(company.email)
    await cancel(first.id)
    expect((await fair.rows(`select status, company_id from participants where id = $1`, [first.id]))[0]).toEqual({
      status: 'cancelled',
      company_id: null,
    })
    expect(await fair.listStaff(company.id)).toMatchObject([{ role: 'admin', status: 'invited', participant_id: null }])
    expect(await statusOf(company.id)).toBe('active')
    await fair.register(served, company.email, { link })
    const again = await fair.findPerson(company.email)
    expect(again.id).not.toBe(first.id)
    expect(await fair.listStaff(company.id)).toMatchObject([{ role: 'admin', status: 'registered', participant_id: again.id }])
    await openEventLedger(fair.scenario.world, fair.scenario.event).assertInvariants()
  })

  it('transfers the staff pass to the person who takes over the registration', async () => {
    const company = await newCompany()
    const { link } = await addStaff(company.id, 'hands-over@example.org')
    await fair.register(served, 'hands-over@example.org', { link })
    const leaving = await fair.findPerson('hands-over@example.org')
    const replacement = {
      '@participant.firstName': 'Tina',
      '@participant.lastName': 'Takes',
      '@participant.email': 'takes-over@example.org',
    }
    await fair.scenario.call('substitute_participant', { participantId: leaving.id, replacement })
    const coming = await fair.findPerson('takes-over@example.org')
    expect(coming.company_id).toBe(company.id)
    expect(await fair.listStaff(company.id)).toMatchObject([
      { name: 'Tina Takes', email: 'takes-over@example.org', status: 'registered', participant_id: coming.id },
    ])
  })

  it('opens an invite-only form only with an invitation of a company', async () => {
    const company = await newCompany()
    const link = await invite(company.id, company.email)
    const flows = EXHIBITOR_SECTIONS.flows.map((flow) => (flow.slug === 'exhibitor' ? { ...flow, inviteOnly: true } : flow))
    await fair.scenario.publish({ ...EXHIBITOR_SECTIONS, flows })
    const stranger = openFormAs(visitor(served), fair.scenario.event, 'exhibitor')
    expect((await stranger.begin('stranger@example.org')).location).toContain('/invited?')
    await fair.register(served, company.email, { link })
    expect((await fair.findPerson(company.email)).company_id).toBe(company.id)
    await fair.scenario.publish(EXHIBITOR_SECTIONS)
  })
})
