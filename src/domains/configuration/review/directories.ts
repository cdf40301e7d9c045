import type { Operation } from '../operations.ts'
import { moved, troublesOf } from './order.ts'
import { capital, error, type Finding, filledIn, listed, type Look, type Place, placeName, warning } from './scene.ts'

/** F27 and F28: whether the member directory answers, and in time. */
export const reviewDirectories = (look: Look): Finding[] => [...notReady(look), ...lateLookups(look), ...lateDirectory(look)]

const STATES: Record<string, string> = {
  draft: 'was not tested since it was changed — run test_directory_connection',
  failing: 'does not answer at the moment',
  disabled: 'is switched off',
}

function notReady(look: Look): Finding[] {
  const { places, flow, scene, path } = look
  const used = [
    ...(flow.directory === null ? [] : [{ code: flow.directory, at: `${path}/directory` }]),
    ...places.flatMap((place) =>
      place.widget.type === 'membershipLookup' ? [{ code: place.widget.connection, at: `${place.path}/connection` }] : [],
    ),
  ]
  return used.flatMap(({ code, at }) => {
    const connection = scene.around.connections.get(code)
    if (connection?.status === 'ready') return []
    const state = connection ? STATES[connection.status] : 'does not exist'
    const told = connection?.onFailure === 'allow' ? warning : error
    return [told('F27', at, `The directory connection "${code}" that the flow "${flow.name}" asks ${state}.`)]
  })
}

/** The first widget whose prices hang on one of the tags. */
function firstPricedBy({ places }: Look, tags: ReadonlySet<string>): Place | undefined {
  return places.find(({ sold }) => sold.some(({ prices }) => prices.some((price) => price.tags.some((tag) => tags.has(tag)))))
}

function lateLookups(look: Look): Finding[] {
  return look.places.flatMap((place) => {
    const { widget } = place
    if (widget.type !== 'membershipLookup') return []
    const tags = new Set([...widget.memberTags, ...(look.scene.gives.get(widget.connection)?.tags ?? [])])
    const priced = firstPricedBy(look, tags)
    if (!priced || priced.order > place.order) return []
    const message = `${capital(placeName(look, place))} comes after ${placeName(look, priced)}, whose prices depend on the ${tags.size === 1 ? 'tag' : 'tags'} ${listed([...tags])} it gives.`
    return [warning('F28', place.path, message, movedBefore(look, place, priced))]
  })
}

function movedBefore({ config, flow, scene }: Look, place: Place, priced: Place): Operation[] | null {
  const filled = filledIn(scene, flow)
  const next = moved.widget(flow, place.widget, { before: priced.widget })
  if (troublesOf(config, next, filled) > troublesOf(config, flow, filled)) return null
  const elsewhere = priced.page === place.page ? {} : { to: `${priced.pagePath}/widgets` }
  return [{ op: 'move', path: place.path, before: priced.widget.id, ...elsewhere }]
}

/** The flow's own lookup is made when the page with the email has been answered. */
function lateDirectory(look: Look): Finding[] {
  const { flow, scene, places, path } = look
  if (flow.directory === null) return []
  const tags = new Set(scene.gives.get(flow.directory)?.tags)
  const priced = firstPricedBy(look, tags)
  const email = places.find(({ collected }) => collected.some(({ binding }) => binding === '@participant.email'))
  if (!priced || !email || email.pageIndex < priced.pageIndex) return []
  const message = `The directory is asked once ${placeName(look, email)} is answered, which is not before ${placeName(look, priced)}, whose prices depend on the ${tags.size === 1 ? 'tag' : 'tags'} ${listed([...tags])} it gives.`
  return [warning('F28', `${path}/directory`, message)]
}
