import type { ColourTone } from '../components/parts.tsx'
import type { EventSite } from '../event/event-site.ts'
import type { WebContext } from '../web.ts'

const DONE = {
  saved: 'portal.saved',
  added: 'portal.staffAdded',
  invited: 'portal.staffInvited',
  removed: 'portal.staffRemoved',
  deviceRemoved: 'portal.deviceRemoved',
  codeReplaced: 'portal.codeReplaced',
  accepted: 'portal.meetingAccepted',
  declined: 'portal.meetingDeclined',
  cancelled: 'portal.meetingCancelled',
} as const

const REFUSED = {
  refused: 'portal.refused',
  changed: 'portal.changedMeanwhile',
  confirm: 'portal.confirmFirst',
} as const

export type PortalActionOutcome = keyof typeof DONE | keyof typeof REFUSED

/** The notice about the previous action. Only predefined texts are shown, because the query string is user input. */
export function findOutcomeNotice(c: WebContext, { words: { say } }: EventSite): { tone: ColourTone; text: string } | null {
  const outcome = c.req.query('done') ?? ''
  if (Object.hasOwn(DONE, outcome)) return { tone: 'success', text: say(DONE[outcome as keyof typeof DONE]) }
  return Object.hasOwn(REFUSED, outcome) ? { tone: 'warning', text: say(REFUSED[outcome as keyof typeof REFUSED]) } : null
}

/** Returns the URL of a page that shows a notice about the completed action. */
export function buildOutcomeNoticePath(path: string, done: PortalActionOutcome, more: Record<string, string> = {}): string {
  return `${path}?${new URLSearchParams({ ...more, done }).toString()}`
}
