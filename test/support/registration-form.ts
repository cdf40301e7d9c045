import type { FormFields, VisitedPage, Visitor } from './visitor.ts'
import type { EventHandle } from './world.ts'

export const buildEventPath = ({ tenantCode, clientCode, eventCode }: EventHandle) =>
  `/tenant/${tenantCode}/client/${clientCode}/event/${eventCode}`

/** All hidden fields of a page, as a browser submits them. */
export function hiddenFieldsIn(html: string): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  for (const [tag] of html.matchAll(/<input\b[^>]*type="hidden"[^>]*>/g)) {
    const name = / name="([^"]*)"/.exec(tag)?.[1]
    if (name) (found[name] ??= []).push(/ value="([^"]*)"/.exec(tag)?.[1] ?? '')
  }
  const csrf = found['_csrf']?.[0]
  return { ...found, ...(csrf ? { _csrf: [csrf] } : {}) }
}

/** A participant who fills in the form of one flow in a browser without scripts. */
export interface Registrant {
  who: Visitor
  begin: (email: string) => Promise<VisitedPage>
  /** Fills in the open page and presses one of its buttons. */
  fill: (page: string, fields: FormFields, options?: { press?: string; files?: Record<string, File> }) => Promise<VisitedPage>
  open: (page: string) => Promise<VisitedPage>
}

export function openFormAs(who: Visitor, event: EventHandle, flow = 'attendee'): Registrant {
  const base = `${buildEventPath(event)}/register/${flow}`
  const open = (page: string) => who.get(page === '' ? base : `${base}/${page}`)
  return {
    who,
    open,
    begin: (email) => who.post(base, { email }, { from: `${base}?anew` }),
    async fill(page, fields, { press = 'next', files } = {}) {
      const shown = await open(page)
      if (shown.status !== 200) throw new Error(`${page} was answered ${shown.status} ${shown.location ?? ''}: ${shown.text.slice(0, 300)}`)
      return who.post(
        `${base}/${page}`,
        { ...hiddenFieldsIn(shown.html), do: press, ...fields },
        { csrf: null, ...(files ? { files } : {}) },
      )
    },
  }
}
