import { afterAll, beforeAll, expect, it } from 'vitest'
import { openEventLedger } from '../support/event-ledger.ts'
import { GRAND_HOTEL, createHotelAt, listNightCounts, buildRoomSections } from '../support/hotels.ts'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { hiddenFieldsIn } from '../support/registration-form.ts'
import { openRoomPage, roomFields } from '../support/room-pages.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'

let scenario: SalesScenario
let served: Served

beforeAll(async () => {
  const sections = buildRoomSections({ minNights: 1, maxNights: 7 })
  const flows = sections.flows.map((flow) => ({ ...flow, editUntil: '2026-06-01T10:00:00Z' }))
  scenario = await openSalesScenario({ ...sections, flows }, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
})
afterAll(() => scenario.world.end())

it('holds and books exactly the available hotel rooms when many participants submit the form concurrently', async () => {
  const [king] = GRAND_HOTEL.roomTypes
  const roomTypes = [{ ...king!, nights: king!.nights!.map((span) => ({ ...span, rooms: 2 })) }]
  const hotelId = await createHotelAt(scenario.world, scenario.event, { roomTypes })
  const held = async () => (await listNightCounts(scenario.world, hotelId)).map(([, , , , count]) => count)
  const booked = async () => (await listNightCounts(scenario.world, hotelId)).map(([, , , count]) => count)
  const people = []
  for (let one = 0; one < 6; one++) people.push(await openRoomPage(served, scenario.event))
  const answers = await Promise.all(people.map((at) => at.fill('rooms', roomFields(hotelId, '2026-09-01', '2026-09-04'))))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 303, 400, 400, 400, 400])
  expect(await held()).toEqual([2, 2, 2])
  const lucky = people.filter((_, at) => answers[at]!.status === 303)
  // Each participant submits twice, concurrently.
  const ends = await Promise.all(lucky.flatMap((at) => [at.finish(), at.finish()]))
  expect(ends.every(({ location }) => location?.endsWith('/done'))).toBe(true)
  expect([await held(), await booked()]).toEqual([
    [0, 0, 0],
    [2, 2, 2],
  ])
  await openEventLedger(scenario.world, scenario.event).assertInvariants()
})

it('applies an order change once when two requests confirm the change concurrently', async () => {
  const { participant } = await scenario.register({ pass: 1 })
  const who = await signInVisitor(scenario.world, served, scenario.event, participant.email)
  const path = `${eventHomePath(scenario.event)}/registration/edit/choices`
  const page = await who.get(path)
  const asked = await who.post(path, { ...hiddenFieldsIn(page.html), do: 'save', '@product.pass': '1', '@product.dinner': '1' })
  const confirm = () => who.post(path, { ...hiddenFieldsIn(asked.html), do: 'confirm' }, { csrf: null })
  const all = await Promise.all(Array.from({ length: 4 }, confirm))
  expect(all.map(({ status }) => status)).toEqual([303, 303, 303, 303])
  const { order } = await scenario.call('get_participant', { participantId: participant.id })
  expect(order.invoices.map((one: any) => one.total.amount)).toEqual(['900.00', '89.00'])
})
