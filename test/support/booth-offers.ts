import { createExhibitorFixtures, type Exhibitors } from './companies.ts'
import { BOOTH_SECTIONS, buildDoubleRow } from './booths.ts'
import { openSalesScenario, type SalesScenario } from './sales-scenario.ts'

export interface OfferScenario {
  scenario: SalesScenario
  exhibitors: Exhibitors
  /** Offers booths to a new company. Returns the path of the link in the offer email. */
  offer: (company: string, boothNumbers: string[], more?: object) => Promise<{ companyId: string; number: string; link: string }>
  countOrderLines: (companyId: string) => Promise<number>
}

/** An event with booths of 3 × 3 m, in English and German. */
export async function openOfferScenario(where: NonNullable<Parameters<typeof openSalesScenario>[1]> = {}): Promise<OfferScenario> {
  const scenario = await openSalesScenario(BOOTH_SECTIONS, where)
  await scenario.world.database.pool.query(`update events set locales = '{en,de}' where id = $1`, [scenario.event.eventId])
  const exhibitors = createExhibitorFixtures(scenario.world, scenario.event)
  await exhibitors.plan({}, buildDoubleRow())
  const manage = (action: string, more: object) => scenario.call('manage_booth_application', { action, ...more })
  return {
    scenario,
    exhibitors,
    async offer(company, boothNumbers, more = {}) {
      const email = `${company.toLowerCase().replaceAll(/\W/g, '-')}@example.org`
      const { id: companyId } = await exhibitors.company({ name: company, contact: { name: 'Connie', email } })
      const { applications } = await manage('create', { companyId, wanted: { sizes: ['small'] }, submit: true })
      const { number } = applications[0]
      await manage('approve', { number })
      await manage('offer', { number, boothNumbers, notify: true, ...more })
      const sent = (await exhibitors.listEmails()).findLast(({ to }) => to === email)!
      return { companyId, number, link: new URL(/https?:\S+\/offer\/\S+/.exec(sent.text)![0]).pathname }
    },
    countOrderLines: (companyId) =>
      exhibitors.figure(`select count(*)::int as n from order_lines l join orders o on o.tenant_id = l.tenant_id and o.event_id = l.event_id
        and o.id = l.order_id where o.company_id = '${companyId}'`),
  }
}
