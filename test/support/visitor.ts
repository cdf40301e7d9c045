import { assignPassword, TEST_USER_PASSWORD } from './browser.ts'
import type { Served } from './server.ts'
import type { World } from './world.ts'

export interface VisitedPage {
  status: number
  /** The target of a redirect. */
  location: string | null
  headers: Headers
  html: string
  /** The text of the page without markup. */
  text: string
}

export type FormFields = Record<string, string | readonly string[]>

interface PostOptions {
  /** The path of the page that contains the form; the form's address by default. */
  from?: string
  /** The CSRF token to send instead of the page's token; null sends none. */
  csrf?: string | null
  origin?: string | null
  files?: Record<string, File>
}

export interface Visitor {
  cookies: Map<string, string>
  get: (path: string) => Promise<VisitedPage>
  /** Submits a form with the CSRF token of its page. */
  post: (path: string, fields: FormFields, options?: PostOptions) => Promise<VisitedPage>
  signIn: (person: { email: string }, password?: string) => Promise<VisitedPage>
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const plain = (html: string) => html.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!)

/** The text of a page or a part of it, without markup. */
export const plainText = (html: string) =>
  plain(
    html
      .replaceAll(/<(script|style|svg)\b[\s\S]*?<\/\1>/g, '')
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' '),
  )

/** The value of a form field, as a browser would submit it. */
export function readFieldValue(html: string, name: string): string | undefined {
  const input = [...html.matchAll(/<input\b[^>]*>/g)].map(([tag]) => tag).find((tag) => tag.includes(` name="${name}"`))
  if (input) return plain(/ value="([^"]*)"/.exec(input)?.[1] ?? '')
  const select = new RegExp(`<select[^>]* name="${name}"[^>]*>([\\s\\S]*?)</select>`).exec(html)
  if (select) return readSelectedOption(select[1]!)
  const area = new RegExp(`<textarea[^>]* name="${name}"[^>]*>([\\s\\S]*?)</textarea>`).exec(html)
  return area ? plain(area[1]!) : undefined
}

/** Without a selected option a browser submits the first one, and without a value attribute the option's text. */
function readSelectedOption(options: string): string {
  const all = [...options.matchAll(/<option\b([^>]*)>([^<]*)/g)]
  const [, marks = '', words = ''] = all.find(([, marked]) => / selected\b/.test(marked!)) ?? all[0] ?? []
  return plain(/ value="([^"]*)"/.exec(marks)?.[1] ?? words)
}

/** A browser without scripts: cookies and forms. `sends` are headers added to every request. */
export function visitor(served: Pick<Served, 'url' | 'baseUrl'>, sends: Record<string, string> = {}): Visitor {
  const cookies = new Map<string, string>()

  async function send(path: string, init: RequestInit = {}): Promise<VisitedPage> {
    const headers = new Headers({ ...sends, ...(init.headers as Record<string, string> | undefined) })
    headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(served.url(path), { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) keep(cookies, line)
    const html = await response.text()
    let text: string | undefined
    return {
      status: response.status,
      location: response.headers.get('location'),
      headers: response.headers,
      html,
      // The text is a getter, because most tests need only the status or a field of a page.
      get text() {
        return (text ??= plainText(html))
      },
    }
  }

  const get = (path: string) => send(path)

  async function post(
    path: string,
    fields: FormFields,
    { from = path, csrf, origin = served.baseUrl, files }: PostOptions = {},
  ): Promise<VisitedPage> {
    const token = csrf === undefined ? readFieldValue((await get(from)).html, '_csrf') : csrf
    const pairs = Object.entries({ ...(token ? { _csrf: token } : {}), ...fields }).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    )
    // Files can only be sent as a multipart form.
    const body = files ? withFiles(pairs, files) : new URLSearchParams(pairs)
    return send(path, { method: 'POST', body, headers: origin === null ? {} : { origin } })
  }

  return {
    cookies,
    get,
    post,
    async signIn(person, password = TEST_USER_PASSWORD) {
      cookies.clear()
      const page = await post('/console/sign-in', { email: person.email, password })
      if (page.status !== 303) throw new Error(`${person.email} was not signed in: ${page.text}`)
      return page
    },
  }
}

/** A user with a password who signed in with it. */
export async function signedInVisitor(world: World, served: Served, person: { userId: string; email: string }): Promise<Visitor> {
  await assignPassword(world, person)
  const who = visitor(served)
  await who.signIn(person)
  return who
}

function withFiles(pairs: readonly [string, string][], files: Record<string, File>): FormData {
  const form = new FormData()
  for (const [name, value] of pairs) form.append(name, value)
  for (const [name, file] of Object.entries(files)) form.append(name, file)
  return form
}

function keep(cookies: Map<string, string>, line: string): void {
  const [, name, value, rest] = /^([^=]+)=([^;]*)(.*)$/.exec(line)!
  if (/max-age=0\b/i.test(rest!)) cookies.delete(name!)
  else cookies.set(name!, decodeURIComponent(value!))
}
