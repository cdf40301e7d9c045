import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPortalScenario, PORTAL_ADMIN, type PortalScenario } from '../support/portal.ts'
import { chooseFreeBaseUrl } from '../support/server.ts'
import { readLatestCode } from '../support/sign-in-codes.ts'
import { visitor } from '../support/visitor.ts'

let fair: PortalScenario
beforeAll(async () => {
  fair = await openPortalScenario({ baseUrl: await chooseFreeBaseUrl() })
})
afterAll(() => fair.scenario.world.end())

const at = (path = '') => `${fair.portal}${path}`
const audited = async (tool: string) =>
  (await fair.rows(`select actor_name from audit_entries where tool = $1 order by id desc limit 1`, [tool]))[0]?.actor_name

describe('exhibitor portal sign-in', () => {
  it("signs the exhibitor's contact in with a code that opens no registration, until the session ends", async () => {
    const who = visitor(fair.served)
    expect((await who.get(at('/leads'))).location).toContain('/exhibitor/sign-in?next=')
    expect((await who.get(at('/sign-in'))).text).toContain('We will email you a code for the exhibitor portal')
    await fair.signIn(PORTAL_ADMIN, who)
    const page = await who.get(at())
    expect(page.status).toBe(200)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.text).toContain('Nordlys Sensors AS')
    const thief = visitor(fair.served)
    thief.cookies.set('lanyard-person', who.cookies.get('lanyard-exhibitor')!)
    expect((await thief.get(at('/../registration').replace('/exhibitor/..', ''))).location).toMatch(/registration\/sign-in$/)
    thief.cookies.set('lanyard-groupAdmin', who.cookies.get('lanyard-exhibitor')!)
    expect((await thief.get(at())).location).toContain('/sign-in')
    await who.post(at('/sign-out'), {}, { from: at() })
    expect((await who.get(at())).status).toBe(303)
  })

  it('rejects the sign-in code of a registration in the exhibitor portal, and shows nothing to a person without a company', async () => {
    const who = visitor(fair.served)
    const own = at('').replace(/exhibitor$/, 'registration/sign-in')
    await who.post(own, { email: PORTAL_ADMIN }, { from: `${own}?email=` })
    const code = await readLatestCode(fair.scenario.world, PORTAL_ADMIN)
    const wrong = await who.post(at('/sign-in/code'), { email: PORTAL_ADMIN, code }, { from: at(`/sign-in/code?email=${PORTAL_ADMIN}`) })
    expect(wrong.text).toContain('That code is no longer valid.')
    const stranger = await fair.signIn('stranger@example.org')
    const page = await stranger.get(at())
    expect(page.status).toBe(404)
    expect(page.text).toContain('No company found')
    expect(page.text).not.toContain('Nordlys')
  })

  it('lets a person of two companies choose a company, and shows only the chosen one', async () => {
    const { id } = await fair.exhibitors.company({ name: 'Second Stand', contact: { name: 'Ida', email: 'ida@two.example' } })
    const people = [{ firstName: 'Ida', lastName: 'Two', email: 'ida@two.example', role: 'admin' }]
    await fair.manage('manage_exhibitors', { action: 'add', companyId: fair.companyId, people })
    const ida = await fair.signIn('ida@two.example')
    expect((await ida.get(at())).location).toBe(at('/companies'))
    const [second] = await fair.rows(`select code from companies where id = $1`, [id])
    await ida.post(at('/companies'), { company: 'nobody' })
    expect((await ida.get(at('/leads'))).location).toBe(at('/companies'))
    await ida.post(at('/companies'), { company: second.code })
    expect((await ida.get(at())).text).toContain('Second Stand')
    expect((await ida.get(at('/leads'))).text).not.toContain('Ada Berger')
    await fair.scenario.callConfirmed('manage_company', { action: 'cancel', companyId: id, reason: 'Gone' })
    expect((await ida.get(at())).text).toContain('Nordlys Sensors AS')
    const [staff] = await fair.rows(`select id from exhibitor_staff where email = 'ida@two.example' and company_id = $1`, [fair.companyId])
    await fair.scenario.callConfirmed('manage_exhibitors', { action: 'remove', staffId: staff.id })
    expect((await ida.get(at())).status).toBe(404)
  })

  it('shows leads and appointments to booth staff, but no passes, devices, activation code or invoices', async () => {
    const per = await fair.signIn('per@nordlys.example')
    expect((await per.get(at('/leads'))).text).toContain('Ada Berger')
    expect((await per.get(at('/appointments'))).status).toBe(200)
    for (const path of ['/staff', '/devices', '/company']) expect((await per.get(at(path))).status).toBe(404)
    const [invoice] = await fair.rows(`select number from invoices limit 1`)
    expect((await per.get(at(`/invoices/${invoice.number}.pdf`))).status).toBe(404)
    const before = await fair.rows(`select activation_hmac from companies where id = $1`, [fair.companyId])
    expect((await per.post(at('/devices'), { confirm: 'on' }, { from: at('/leads') })).status).toBe(404)
    expect(await fair.rows(`select activation_hmac from companies where id = $1`, [fair.companyId])).toEqual(before)
  })
})

describe('exhibitor portal overview', () => {
  it("shows the company's booths, open tasks and balance on the overview of the exhibitor portal", async () => {
    const ingrid = await fair.signIn(PORTAL_ADMIN)
    const { text } = await ingrid.get(at())
    for (const expected of [
      'Booth 101, 103, Hall 2',
      'day 1 of',
      '3 in total, 1 today',
      '2 without a rating',
      '4 of 6 free passes used',
      '1 of 2 active',
      'Answer 1 meeting request',
      '2 free passes are left',
      'Describe your company',
      'Still to pay: €2,580.00',
    ])
      expect(text).toContain(expected)
    const [invoice] = await fair.rows(`select i.number from invoices i join orders o on o.id = i.order_id where o.company_id = $1`, [
      fair.companyId,
    ])
    const pdf = await ingrid.get(at(`/invoices/${invoice.number}.pdf`))
    expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  })

  it('links an open booth offer on the overview of the exhibitor portal', async () => {
    const { id: companyId } = await fair.exhibitors.company({ name: 'Offered', contact: { name: 'Olaf', email: 'olaf@offered.example' } })
    const manage = (action: string, more: object) => fair.scenario.call('manage_booth_application', { action, ...more })
    const { applications } = await manage('create', { companyId, wanted: { sizes: ['small'] }, submit: true })
    const { number } = applications[0]
    await manage('approve', { number })
    await manage('offer', { number, boothNumbers: ['105'], until: '2026-09-02T00:00:00.000Z', notify: false })
    const olaf = await fair.signIn('olaf@offered.example')
    const page = await olaf.get(at())
    expect(page.text).toContain('Answer the offer of booth 105')
    const link = /href="([^"]*\/offer\/[^"]*)"/.exec(page.html)![1]!
    expect((await olaf.get(link)).text).toContain('Booth 105 is held for you')
    await olaf.post(link, { do: 'accept' })
    const accepted = await olaf.get(link)
    const portal = /href="([^"]*\/exhibitor)"/.exec(accepted.html)![1]!
    expect((await olaf.get(portal)).text).toContain('Booth 105')
  })
})

describe('exhibitor portal leads', () => {
  it('shows the fields that each lead shares, the same as in manage_lead and in the exported file', async () => {
    const ingrid = await fair.signIn(PORTAL_ADMIN)
    const page = await ingrid.get(at('/leads'))
    for (const expected of ['3 people whose badge', 'Head of networks · Stadtwerke Linden', 'ada@visitors.example', '+49 30 123456'])
      expect(page.text).toContain(expected)
    expect(page.text).not.toContain('ben@visitors.example')
    expect(page.text).toContain('Not shared')
    expect(page.text).toContain('Shares only the name')
    const file = await ingrid.get(at('/leads.csv'))
    expect(file.headers.get('content-disposition')).toContain('leads-nordlys-sensors-as.csv')
    expect(file.html).toContain('ada@visitors.example')
    expect(file.html).not.toContain('ben@visitors.example')
    const { leads } = await fair.manage('manage_lead', { action: 'list', companyId: fair.companyId })
    for (const { fields } of leads) for (const value of Object.values(fields)) expect(file.html).toContain(value)
    await fair.rows(`update participants set sharing = '{"email": "restrict"}' where id = $1`, [fair.people.ada])
    expect((await ingrid.get(at('/leads'))).text).not.toContain('ada@visitors.example')
    expect((await ingrid.get(at('/leads.csv'))).html).not.toContain('ada@visitors.example')
    await fair.rows(`update participants set sharing = '{}' where id = $1`, [fair.people.ada])
  })

  it('filters leads by name and rating, and never by a field that the attendee does not share', async () => {
    const ingrid = await fair.signIn(PORTAL_ADMIN)
    const names = async (query: string) => {
      const { text } = await ingrid.get(at(`/leads?${query}`))
      return ['Ada', 'Ben', 'Yuki'].filter((name) => text.includes(`${name} `))
    }
    expect(await names('q=mensah')).toEqual(['Ben'])
    expect(await names('q=ben%40visitors.example')).toEqual([])
    expect(await names('rating=high')).toEqual(['Ada'])
    expect(await names('rating=none')).toEqual(['Ben', 'Yuki'])
    expect((await ingrid.get(at('/leads?cursor=broken'))).location).toBe(at('/leads'))
  })

  it('saves rating and notes of a lead, refuses an outdated form, and deletes and restores a lead', async () => {
    const ingrid = await fair.signIn(PORTAL_ADMIN)
    const { Ben: leadId } = await fair.leadIds()
    const read = async () => (await fair.rows(`select rating, notes, status, revision from leads where id = $1`, [leadId]))[0]
    const { revision } = await read()
    const saved = await ingrid.post(
      at(`/leads/${leadId}`),
      { rating: '4', notes: 'Call in May', revision: String(revision) },
      { from: at('/leads') },
    )
    expect(saved.location).toContain('done=saved')
    expect(await read()).toMatchObject({ rating: 4, notes: 'Call in May', status: 'active' })
    expect(await audited('edit_own_lead')).toBe('Ingrid Solberg')
    const stale = await ingrid.post(at(`/leads/${leadId}`), { rating: '1', notes: '', revision: String(revision) }, { from: at('/leads') })
    expect(stale.location).toContain('done=changed')
    expect(await read()).toMatchObject({ rating: 4, notes: 'Call in May' })
    const deleted = await ingrid.post(at(`/leads/${leadId}`), { do: 'delete' }, { from: at('/leads') })
    expect((await ingrid.get(deleted.location!)).text).toContain('The lead was deleted.')
    expect((await read()).status).toBe('deleted')
    await ingrid.post(at(`/leads/${leadId}`), { do: 'restore' }, { from: deleted.location! })
    expect((await read()).status).toBe('active')
    await ingrid.post(at(`/leads/${leadId}`), { rating: '', notes: '' }, { from: at('/leads') })
  })

  it('responds to records of another company like to unknown ones in the exhibitor portal, and refuses forms without a CSRF token', async () => {
    const { id } = await fair.exhibitors.company({ name: 'Rival', contact: { name: 'Rita', email: 'rita@rival.example' } })
    const rita = await fair.signIn('rita@rival.example')
    expect((await rita.get(at('/leads'))).text).toContain('No leads yet')
    const { Ada: leadId } = await fair.leadIds()
    const [staff] = await fair.rows(`select id from exhibitor_staff where company_id = $1 and role = 'staff'`, [fair.companyId])
    const [device] = await fair.rows(`select id from lead_devices where company_id = $1`, [fair.companyId])
    const [meeting] = await fair.rows(`select id from appointments where company_id = $1 and status = 'booked'`, [fair.companyId])
    const state = () =>
      fair.rows(
        `select (select status from leads where id = $1) as lead, (select status from exhibitor_staff where id = $2) as staff,
        (select status from lead_devices where id = $3) as device, (select status from appointments where id = $4) as meeting`,
        [leadId, staff.id, device.id, meeting.id],
      )
    const before = await state()
    for (const [path, fields] of [
      [`/leads/${leadId}`, { do: 'delete' }],
      [`/staff/${staff.id}`, { do: 'remove' }],
      [`/devices/${device.id}`, {}],
      [`/appointments/${meeting.id}`, { do: 'cancel' }],
    ] as const)
      expect((await rita.post(at(path), fields, { from: at() })).status).toBe(404)
    const ingrid = await fair.signIn(PORTAL_ADMIN)
    await ingrid.post(at(`/leads/${leadId}`), { do: 'delete' }, { csrf: 'forged' })
    expect(await state()).toEqual(before)
    expect(id).not.toBe(fair.companyId)
  })
})

describe('exhibitor portal staff', () => {
  it('adds booth staff with free passes, then with paid ones, and emails each a link that registers for the company', async () => {
    const ingrid = await fair.signIn(PORTAL_ADMIN)
    const add = async (number: number) => {
      const page = await ingrid.get(at('/staff'))
      const pass = / name="pass" value="([^"]*)"/.exec(page.html)![1]!
      const fields = { firstName: 'Eva', lastName: `Lie ${number}`, email: `eva-${number}@nordlys.example`, pass }
      return { page, added: await ingrid.post(at('/staff'), fields) }
    }
    const first = await add(1)
    expect(first.page.text).toContain('Every company gets 2, plus 2 for each 9 m² of booth or part of it. With 18 m² you get 6.')
    expect(first.page.text).toContain('Add with free pass')
    expect(first.added.location).toContain('done=added')
    const link = await fair.readInvitationLink('eva-1@nordlys.example')
    expect((await visitor(fair.served).get(link)).text).toContain('You are registering for Nordlys Sensors AS.')
    await add(2)
    const third = await add(3)
    expect(third.page.text).toContain('Add for €120.00')
    expect(third.added.location).toContain('done=added')
    const [{ pass }] = await fair.rows(`select pass from exhibitor_staff where email = 'eva-3@nordlys.example'`)
    expect(pass).toBe('paid')
    expect(await audited('add_own_staff')).toBe('Ingrid Solberg')
  })

  it('explains missing names, wrong addresses, staff who are already listed and people of another company', async () => {
    const ingrid = await fair.signIn(PORTAL_ADMIN)
    const wrong = await ingrid.post(at('/staff'), { firstName: '', lastName: 'Lie', email: 'absent', pass: 'paid' })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('Enter the name')
    expect(wrong.text).toContain('Enter an email address')
    const listed = await ingrid.post(at('/staff'), { firstName: 'Per', lastName: 'Aas', email: 'per@nordlys.example', pass: 'paid' })
    expect(listed.text).toContain('This person is on your list already.')
    const { id } = await fair.exhibitors.company({ name: 'Elsewhere' })
    const people = [{ firstName: 'Otto', lastName: 'Other', email: 'otto@other.example', role: 'staff' }]
    await fair.manage('manage_exhibitors', { action: 'add', companyId: id, people, register: true })
    const other = await ingrid.post(at('/staff'), { firstName: 'Otto', lastName: 'Other', email: 'otto@other.example', pass: 'paid' })
    expect(other.text).toContain('This person is registered with another company.')
  })

  it('changes roles of booth staff, resends invitations and removes staff, but never the last admin', async () => {
    const ingrid = await fair.signIn(PORTAL_ADMIN)
    const idOf = async (email: string) =>
      (await fair.rows(`select id from exhibitor_staff where email = $1 and status <> 'removed'`, [email]))[0]?.id
    const send = async (email: string, fields: Record<string, string>) =>
      ingrid.post(at(`/staff/${await idOf(email)}`), fields, { from: at('/staff') })
    const last = await send(PORTAL_ADMIN, { do: 'remove' })
    expect(last.location).toContain('done=refused')
    expect((await ingrid.get(at('/staff'))).text).toContain('Last admin')
    const sent = async () => (await fair.exhibitors.listEmails()).filter(({ to }) => to === 'jonas@nordlys.example').length
    const before = await sent()
    await send('jonas@nordlys.example', { do: 'invite' })
    expect(await sent()).toBe(before + 1)
    await send('mia@nordlys.example', { do: 'admin' })
    expect((await fair.rows(`select role from exhibitor_staff where email = 'mia@nordlys.example'`))[0].role).toBe('admin')
    await send('mia@nordlys.example', { do: 'staff' })
    expect((await send('mia@nordlys.example', { do: 'remove', cancel: 'on' })).location).toContain('done=removed')
    expect(await fair.findPerson('mia@nordlys.example')).toMatchObject({ status: 'cancelled', company_id: null })
  })
})

describe('exhibitor portal devices', () => {
  it('shows the activation code, replaces the code after a confirmation, and removes a device, which frees a device seat', async () => {
    const ingrid = await fair.signIn(PORTAL_ADMIN)
    const codeOf = (html: string) => /class="code-shown"[^>]*>\s*([0-9A-Z-]{19})/.exec(html)![1]!
    const page = await ingrid.get(at('/devices'))
    expect(page.text).toContain('Scanner 1')
    expect(page.text).toContain('2 devices')
    const asked = await ingrid.post(at('/devices'), {})
    expect((await ingrid.get(asked.location!)).text).toContain('Tick the box first.')
    expect(codeOf((await ingrid.get(at('/devices'))).html)).toBe(codeOf(page.html))
    const replaced = await ingrid.post(at('/devices'), { confirm: 'on' })
    const after = await ingrid.get(replaced.location!)
    expect(after.text).toContain('The code was replaced.')
    expect(codeOf(after.html)).not.toBe(codeOf(page.html))
    expect((await fair.manage('manage_device', { action: 'list', companyId: fair.companyId })).seats).toEqual({
      total: 2,
      used: 1,
      left: 1,
    })
    const [device] = await fair.rows(`select id from lead_devices where company_id = $1`, [fair.companyId])
    const removed = await ingrid.post(at(`/devices/${device.id}`), {}, { from: at('/devices') })
    expect((await ingrid.get(removed.location!)).text).toContain('Its licence is free again.')
    expect((await fair.manage('manage_device', { action: 'list', companyId: fair.companyId })).seats).toEqual({
      total: 2,
      used: 0,
      left: 2,
    })
    const [{ audit }] = await fair.rows(
      `select coalesce(string_agg(to_jsonb(a)::text, ' '), '') as audit from audit_entries a where tool = 'rotate_own_code'`,
    )
    expect(audit).not.toContain(codeOf(after.html))
  })
})

describe('exhibitor portal appointments', () => {
  it('accepts an appointment request once, and emails the visitor that the meeting is booked', async () => {
    const ingrid = await fair.signIn(PORTAL_ADMIN)
    const page = await ingrid.get(at('/appointments'))
    expect(page.text).toContain('1 request to answer')
    expect(page.text).toContain('Can you bring the solar model?')
    const [{ id }] = await fair.rows(`select id from appointments where status = 'pending'`)
    const emails = async () =>
      (await fair.exhibitors.listEmails()).filter(({ to, code }) => to === 'ben@visitors.example' && code === 'appointment.booked')
    const before = (await emails()).length
    const accepted = await ingrid.post(at(`/appointments/${id}`), { do: 'accept' }, { from: at('/appointments') })
    expect((await ingrid.get(accepted.location!)).text).toContain('Accepted. The visitor gets an email.')
    expect((await fair.rows(`select status from appointments where id = $1`, [id]))[0].status).toBe('booked')
    await ingrid.post(at(`/appointments/${id}`), { do: 'accept' }, { from: at('/appointments') })
    const sent = await emails()
    expect(sent).toHaveLength(before + 1)
    expect(sent.at(-1)!.subject).not.toContain('request')
    expect((await ingrid.post(at(`/appointments/${id}`), { do: 'decline' }, { from: at('/appointments') })).location).toContain(
      'done=refused',
    )
  })

  it('cancels a meeting with a reason that is emailed to the visitor, and frees the slot', async () => {
    const ingrid = await fair.signIn(PORTAL_ADMIN)
    const [{ id, offering_id }] = await fair.rows(`select a.id, a.offering_id from appointments a where a.participant_id = $1`, [
      fair.people.ada,
    ])
    await ingrid.post(at(`/appointments/${id}`), { do: 'cancel', reason: 'Ill today' }, { from: at('/appointments') })
    expect((await fair.rows(`select status, cancel_reason from appointments where id = $1`, [id]))[0]).toEqual({
      status: 'cancelled',
      cancel_reason: 'Ill today',
    })
    expect((await fair.rows(`select booked from offerings where id = $1`, [offering_id]))[0].booked).toBe(0)
    const email = (await fair.exhibitors.listEmails()).findLast(({ to }) => to === 'ada@visitors.example')!
    expect([email.code, email.text.includes('Ill today')]).toEqual(['appointment.cancelled', true])
  })

  it('changes the appointment hours of one day without changing booked appointments, and stops offering appointments', async () => {
    const ingrid = await fair.signIn(PORTAL_ADMIN)
    const hours = { day: '2026-09-01', from: '13:30', until: '15:00', minutes: '20', offers: 'on' }
    const wrong = await ingrid.post(at('/appointments'), { ...hours, until: '13:00' }, { from: at('/appointments') })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('Enter times such as 10:00 and 16:00.')
    const offered = async () =>
      (
        await fair.rows(
          `select to_char(starts_at at time zone 'Europe/Paris', 'HH24:MI') as at from offerings where company_id = $1 and removed_at is null and booked = 0 order by 1`,
          [fair.companyId],
        )
      ).map((row) => row.at)
    const generated = await offered()
    expect(generated).not.toEqual([])
    const otherDay = { ...hours, day: '2026-09-02', from: '17:00', until: '17:20' }
    await ingrid.post(at('/appointments'), otherDay, { from: at('/appointments') })
    expect(await offered(), 'hours of one day keep the slots of the others').toEqual([...generated, '17:00'])
    await ingrid.post(at('/appointments'), hours, { from: at('/appointments') })
    // The meeting from 14:00 to 14:30 is booked, so no slot overlaps it.
    expect(await offered()).toEqual(['13:30', '14:30', '17:00'])
    const { text } = await ingrid.get(at('/appointments?day=2026-09-01'))
    expect(text).toContain('Ben Mensah')
    // The slots are apart, so each is a row of its own.
    for (const row of ['13:30 to 13:50 1 free slot', '14:30 to 14:50 1 free slot']) expect(text).toContain(row)
    const { offers: _offers, ...stop } = hours
    await ingrid.post(at('/appointments'), stop, { from: at('/appointments') })
    expect(await offered()).toEqual([])
    expect(await fair.rows(`select from appointments where company_id = $1 and status = 'booked'`, [fair.companyId])).toHaveLength(1)
  })
})

describe('company details', () => {
  it('changes description, website and contact of a company, and explains an invalid address', async () => {
    const ingrid = await fair.signIn(PORTAL_ADMIN)
    const fields = {
      description: 'Level gauges',
      website: 'nordlys.example',
      contactName: 'Ingrid S',
      contactEmail: PORTAL_ADMIN,
      contactPhone: '',
    }
    expect((await ingrid.post(at('/company'), { ...fields, website: 'javascript:alert(1)' })).text).toContain('begins with https://')
    expect((await ingrid.post(at('/company'), { ...fields, contactEmail: 'x' })).text).toContain('Enter an email address')
    expect((await ingrid.post(at('/company'), fields)).location).toContain('done=saved')
    expect(
      (await fair.rows(`select description, website, contact_name, contact_phone from companies where id = $1`, [fair.companyId]))[0],
    ).toEqual({
      description: 'Level gauges',
      website: 'https://nordlys.example/',
      contact_name: 'Ingrid S',
      contact_phone: null,
    })
  })
})

describe('links to the exhibitor portal', () => {
  it('links the exhibitor portal in the invitation, the email about booths, and the footer of the event page', async () => {
    const { id } = await fair.exhibitors.company({
      name: 'Linked',
      status: 'prospect',
      contact: { name: 'Lin', email: 'lin@linked.example' },
    })
    await fair.manage('manage_company', { action: 'invite', companyIds: [id] })
    const { text } = (await fair.exhibitors.listEmails()).findLast(({ to }) => to === 'lin@linked.example')!
    const link = new URL(/https?:\S+\/exhibitor\b(?!\?)(?=\s|$)/.exec(text)![0]).pathname
    const lin = visitor(fair.served)
    expect((await lin.get(link)).location).toContain('/exhibitor/sign-in')
    await fair.signIn('lin@linked.example', lin)
    expect((await lin.get(link)).text).toContain('Linked')
    const home = await lin.get(at('').replace(/\/exhibitor$/, ''))
    expect(home.text).toContain('For exhibitors')
    const footer = /<footer class="site-foot">[\s\S]*?href="([^"]*\/exhibitor)"/.exec(home.html)![1]!
    expect((await lin.get(footer)).text).toContain('Linked')
  })
})
