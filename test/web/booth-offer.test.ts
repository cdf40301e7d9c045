import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEventContextAt } from '../support/at-event.ts'
import { openOfferScenario, type OfferScenario } from '../support/booth-offers.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'
import { endExpiredOffers } from '../../src/domains/exhibitors/applications/offers.ts'
import { releaseExpiredHoldsOfCompany } from '../../src/domains/exhibitors/booths/expired-holds.ts'

describe('page of a booth offer', () => {
  let offers: OfferScenario
  let served: Served
  beforeAll(async () => {
    offers = await openOfferScenario({ baseUrl: await chooseFreeBaseUrl() })
    served = await serve(offers.scenario.world)
  })
  afterAll(() => offers.scenario.world.end())

  it('shows booth, map and price of a booth offer at the emailed link, and creates one order when two requests accept the offer', async () => {
    const { link, companyId, number } = await offers.offer('Nordlys & Sons', ['101'])
    const [one, two] = [visitor(served), visitor(served)]
    const page = await one.get(link)
    expect(page.status).toBe(200)
    expect(page.text).toContain('Booth offer for Nordlys & Sons')
    expect(page.text).toContain('Booth 101 is held for you')
    expect(page.text).toContain('Corner, open on 2 sides')
    for (const amount of ['€1,000.00', '€150.00', '€1,150.00', '€230.00', '€1,380.00']) expect(page.text).toContain(amount)
    expect(page.html).toContain('<svg')
    expect((await one.get(`${link}?lang=de`)).text).toContain('Stand 101 ist für Sie reserviert')
    await two.get(link)
    const answers = await Promise.all([one, two].map((browser) => browser.post(link, { do: 'accept' })))
    expect(answers.map(({ status, location }) => [status, location])).toEqual([0, 1].map(() => [303, link]))
    expect(await offers.countOrderLines(companyId)).toBe(2)
    const accepted = await two.get(`${link}?lang=en`)
    expect(accepted.text).toContain('Booth 101 is yours')
    expect(accepted.text).toContain('total €1,380.00')
    await two.post(link, { do: 'decline' })
    expect((await offers.scenario.call('list_booth_applications', { applicationNumber: number })).applications).toMatchObject([
      { status: 'accepted', assigned: ['101'] },
    ])
  })

  it('declines a booth offer, and then shows the day on which the offer ended', async () => {
    const { link, number } = await offers.offer('Deltares', ['103', '105'])
    const browser = visitor(served)
    expect((await browser.get(link)).text).toContain('Booths 103, 105 are held for you')
    await browser.post(link, { do: 'decline' })
    const ended = await browser.get(link)
    expect(ended.status).toBe(410)
    expect(ended.text).toContain('This offer ended on')
    expect(ended.text).toMatch(/April 10, 2026|10 April 2026/)
    await offers.scenario.call('manage_booth_application', { action: 'offer', number, boothNumbers: ['107'], notify: true })
    // The first link never accepts the second offer.
    await browser.post(link, { do: 'accept' }, { from: link })
    expect((await browser.get(link)).status).toBe(410)
    expect((await offers.scenario.call('list_booth_applications', { applicationNumber: number })).applications[0].status).toBe('offered')
  })

  it('shows an expired booth offer as ended, before and after the task that ends expired offers', async () => {
    const { link, companyId, number } = await offers.offer('Slow Ltd', ['106'], { until: '2026-04-10T10:00:05.000Z' })
    const browser = visitor(served)
    await browser.get(link)
    await offers.scenario.world.clock.stopAt('2026-04-10T10:00:06Z')
    expect((await browser.get(link)).text).toContain('This offer ended on')
    await browser.post(link, { do: 'accept' }, { from: `${served.baseUrl}${link}` }).catch(() => null)
    await offers.scenario.world.database.transact(async (db) =>
      releaseExpiredHoldsOfCompany(
        await createEventContextAt(offers.scenario.world, offers.scenario.event, db),
        companyId,
        endExpiredOffers,
      ),
    )
    expect((await browser.get(link)).text).toContain('This offer ended on')
    await offers.scenario.world.clock.stopAt('2026-04-10T10:00:00Z')
    expect((await offers.scenario.call('list_booth_applications', { applicationNumber: number })).applications[0].status).toBe('approved')
    expect(await offers.countOrderLines(companyId)).toBe(0)
  })

  it('answers an altered link of a booth offer with the page for unknown addresses', async () => {
    const { link } = await offers.offer('Original', ['108'])
    const other = link.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    expect((await visitor(served).get(other)).status).toBe(404)
    expect((await visitor(served).get(link.replace(/-1-/, '-2-'))).status).toBe(404)
    expect((await visitor(served).get(link)).status).toBe(200)
  })
})
