import { afterAll, beforeAll, expect, it } from 'vitest'
import { booksOf } from '../support/books.ts'
import { GRAND, hotelAt, nightsAt, withRooms } from '../support/hotels.ts'
import { homeOf, personSignedIn } from '../support/own-pages.ts'
import { hiddenIn } from '../support/registering.ts'
import { atRooms, wants } from '../support/room-pages.ts'
import { openSelling, type Selling } from '../support/selling.ts'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'


let story: Selling
let served: Served

beforeAll(async () => {
  const sections = withRooms({ minNights: 1, maxNights: 7 })
  const flows = sections.flows.map((flow) => ({ ...flow, editUntil: '2026-06-01T10:00:00Z' }))
  story = await openSelling({ ...sections, flows }, { baseUrl: await freeBaseUrl() })
  served = await serve(story.world)
})
afterAll(() => story.world.end())

it('holds and books exactly the available rooms when many participants submit the form concurrently', async () => {
  const [king] = GRAND.roomTypes
  const roomTypes = [{ ...king!, nights: king!.nights!.map((span) => ({ ...span, rooms: 2 })) }]
  const hotelId = await hotelAt(story.world, story.event, { roomTypes })
  const held = async () => (await nightsAt(story.world, hotelId)).map(([, , , , count]) => count)
  const booked = async () => (await nightsAt(story.world, hotelId)).map(([, , , count]) => count)
  const people = []
  for (let one = 0; one < 6; one++) people.push(await atRooms(served, story.event))
  const answers = await Promise.all(people.map((at) => at.fill('rooms', wants(hotelId, '2026-09-01', '2026-09-04'))))
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
  await booksOf(story.world, story.event).mustAddUp()
})

it('applies an order change once when it is confirmed concurrently', async () => {
  const { participant } = await story.register({ pass: 1 })
  const who = await personSignedIn(story.world, served, story.event, participant.email)
  const path = `${homeOf(story.event)}/registration/edit/choices`
  const page = await who.get(path)
  const asked = await who.post(path, { ...hiddenIn(page.html), do: 'save', '@product.pass': '1', '@product.dinner': '1' })
  const confirm = () => who.post(path, { ...hiddenIn(asked.html), do: 'confirm' }, { csrf: null })
  const all = await Promise.all(Array.from({ length: 4 }, confirm))
  expect(all.map(({ status }) => status)).toEqual([303, 303, 303, 303])
  const { order } = await story.call('get_participant', { participantId: participant.id })
  expect(order.invoices.map((one: any) => one.total.amount)).toEqual(['900.00', '89.00'])
})
