import { endOfDay, toInstant } from '../../../kernel/time.ts'
import type { Operation } from '../operations.ts'
import { beforeQuestions, insertWidget, removal, set } from './repairs.ts'
import { capital, type Finding, type Look, type Place, placeName, warning } from './scene.ts'

/** F31, F33, F34 and F36: the flow beside the rest of the event. */
export const reviewParts = (look: Look): Finding[] => [
  ...closing(look),
  ...partsThatAreOff(look),
  ...capacities(look),
  ...invitations(look),
]

function closing({ flow, config, scene: { facts }, path }: Look): Finding[] {
  if (flow.closesAt === null) return []
  const closes = Date.parse(flow.closesAt)
  const end = endOfDay(facts.timezone, config.details.endsOn)
  const past = closes <= facts.now.getTime()
  if (!past && closes <= end.getTime()) return []
  const message = past
    ? `The flow "${flow.name}" closed at ${flow.closesAt}.`
    : `The flow "${flow.name}" closes at ${flow.closesAt}, after the event has ended on ${config.details.endsOn}.`
  const opens = flow.opensAt === null ? -Infinity : Date.parse(flow.opensAt)
  const mendable = end.getTime() > facts.now.getTime() && end.getTime() > opens
  return [warning('F31', `${path}/closesAt`, message, mendable ? [set(`${path}/closesAt`, toInstant(end))] : null)]
}

function partsThatAreOff(look: Look): Finding[] {
  const { places, config, flow } = look
  const { tracks, formats, rooms } = config.sessions
  const off = ({ widget }: Place): string | null => {
    if (widget.type === 'housing') return config.housing.enabled ? null : 'housing is switched off'
    if (widget.type === 'guests') return flow.guests?.enabled ? null : 'this flow takes no guests'
    return widget.type === 'sessions' && tracks.length + formats.length + rooms.length === 0 ? 'the event has no program yet' : null
  }
  return places.flatMap((place) => {
    const why = off(place)
    return why === null
      ? []
      : [warning('F33', place.path, `${capital(placeName(look, place))} cannot be used: ${why}.`, mended(look, place))]
  })
}

/** Guests are a switch of the flow itself; the other parts need more than a switch, so there the widget goes. */
const mended = (look: Look, place: Place): Operation[] | null =>
  place.widget.type === 'guests' ? [set(`${look.path}/guests/enabled`, true)] : removal(look, place)

function capacities({ flow, config, path, places }: Look): Finding[] {
  const most = config.details.capacity
  if (most === null) return []
  const admissions = [...new Set(places.flatMap(({ sold }) => sold))].filter(({ category }) => category === 'admission')
  const own = [
    { what: `The flow "${flow.name}"`, at: `${path}/capacity`, capacity: flow.capacity },
    ...admissions.map(({ code, name, capacity }) => ({ what: `"${name}"`, at: `/products/${code}/capacity`, capacity })),
  ]
  return own.flatMap(({ what, at, capacity }) =>
    capacity !== null && capacity > most
      ? [warning('F34', at, `${what} has room for ${capacity}, but the whole event only for ${most}.`, [set(at, most)])]
      : [],
  )
}

function invitations(look: Look): Finding[] {
  const { flow, places, scene, path, pages } = look
  if (!flow.inviteOnly || scene.inviteLists || places.some(({ widget }) => widget.type === 'inviteCode')) return []
  const [first] = pages
  const operation = first ? insertWidget(look, first, { type: 'inviteCode' }, 'invite-code', beforeQuestions(first)) : null
  const message = `The flow "${flow.name}" is for invited people only, but there is neither a list of them nor a question for their code.`
  return [warning('F36', `${path}/inviteOnly`, message, operation && [operation])]
}
