import { BOOTH_SECTIONS, buildDoubleRow } from './booths.ts'
import { type Exhibitors, createExhibitorFixtures } from './companies.ts'
import { openFormAs } from './registration-form.ts'
import { openSalesScenario, type SalesScenario } from './sales-scenario.ts'
import type { Served } from './server.ts'
import { type Visitor, visitor } from './visitor.ts'

const [attendee] = BOOTH_SECTIONS.flows

/** Booths, a flow for exhibitors, lead licences, and paid staff passes at 100.00 plus 20 % tax. */
export const EXHIBITOR_SECTIONS = {
  ...BOOTH_SECTIONS,
  details: { ...BOOTH_SECTIONS.details, endsOn: '2026-09-03' },
  flows: [
    ...BOOTH_SECTIONS.flows,
    { ...attendee!, slug: 'exhibitor', name: 'Exhibitors', kind: 'exhibitor', pages: [attendee!.pages[0]!, attendee!.pages[2]!] },
  ],
  products: [
    ...BOOTH_SECTIONS.products,
    { code: 'staff-pass', name: 'Staff pass', category: 'admission', taxCode: 'vat-20', prices: [{ amount: '100.00' }] },
    { code: 'lead-scanner', name: 'Lead scanner', category: 'leadRetrieval', grants: ['device'], prices: [{ amount: '240.00' }] },
  ],
  exhibitorConfig: {
    ...BOOTH_SECTIONS.exhibitorConfig,
    staffPassProduct: 'staff-pass',
    leadVisibleFields: ['firstName', 'lastName', 'email', 'jobTitle', 'company', 'workPhone'],
    appointmentMinutes: 30,
    meetingHours: [{ day: '2026-09-01', from: '10:00', until: '12:00' }],
  },
}

export interface ExhibitorScenario {
  scenario: SalesScenario
  exhibitors: Exhibitors
  rows: (query: string, values?: unknown[]) => Promise<any[]>
  manage: (tool: 'manage_company' | 'manage_exhibitors' | 'manage_lead' | 'manage_device', args: object) => Promise<any>
  /** The path of the registration link in the latest invitation to the given address. */
  readInvitationLink: (email: string) => Promise<string>
  /** Starts and completes the exhibitor flow in a browser, optionally after following the link of an invitation. */
  register: (served: Served, email: string, options?: { link?: string; lastName?: string; who?: Visitor }) => Promise<Visitor>
  /** Returns the participant with the given address who was registered last. */
  findPerson: (email: string) => Promise<any>
  listStaff: (companyId: string) => Promise<any[]>
}

export async function openExhibitorScenario(where: NonNullable<Parameters<typeof openSalesScenario>[1]> = {}): Promise<ExhibitorScenario> {
  const scenario = await openSalesScenario(EXHIBITOR_SECTIONS, where)
  const exhibitors = createExhibitorFixtures(scenario.world, scenario.event)
  await exhibitors.plan({ name: 'Hall 2' }, buildDoubleRow())
  const rows = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows
  return {
    scenario,
    exhibitors,
    rows,
    manage: (tool, args) => scenario.call(tool, args as Record<string, unknown>),
    async readInvitationLink(email) {
      const sent = (await exhibitors.listEmails()).findLast(({ to, code }) => to === email && code === 'company.invited')!
      const { pathname, search } = new URL(/https?:\S+\/register\/\S+/.exec(sent.text)![0])
      return pathname + search
    },
    async register(served, email, { link, lastName = 'Aas', who = visitor(served) } = {}) {
      const form = openFormAs(who, scenario.event, 'exhibitor')
      if (link === undefined) await form.begin(email)
      else {
        const shown = await who.get(link)
        const company = / name="company" value="([^"]*)"/.exec(shown.html)?.[1] ?? ''
        await who.post(link.replace(/\?.*/, ''), { email, company }, { from: link })
      }
      await form.fill('contact', { '@participant.firstName': 'Per', '@participant.lastName': lastName })
      await form.fill('summary', {}, { press: 'finish' })
      return who
    },
    findPerson: async (email) =>
      (
        await rows(`select * from participants where event_id = $1 and email_norm = lower($2) order by created_at desc, id desc limit 1`, [
          scenario.event.eventId,
          email,
        ])
      )[0],
    listStaff: (companyId) =>
      rows(`select name, email, role, status, pass, participant_id from exhibitor_staff where company_id = $1 order by created_at, id`, [
        companyId,
      ]),
  }
}
