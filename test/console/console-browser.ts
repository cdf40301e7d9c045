import { createBrowserSession } from '../../src/domains/sign-in/sessions.ts'
import { assignPassword, TEST_USER_PASSWORD } from '../support/browser.ts'
import type { Served } from '../support/server.ts'
import { type FormFields, type VisitedPage, type Visitor, visitor } from '../support/visitor.ts'
import type { World } from '../support/world.ts'

export const INITIAL_PASSWORD = TEST_USER_PASSWORD
const SESSION = 'lanyard-organizer'
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** A browser session at the console, signed in or not. */
export class ConsoleBrowser {
  readonly #visitor: Visitor
  readonly #userAgent: string

  /** Sets X-Forwarded-For, which counts if the server trusts this machine as its proxy. */
  constructor(served: Served, { address, userAgent = LINUX }: { address?: string; userAgent?: string } = {}) {
    this.#userAgent = userAgent
    this.#visitor = visitor(served, { 'user-agent': userAgent, ...(address ? { 'x-forwarded-for': address } : {}) })
  }

  get session(): string | undefined {
    return this.#visitor.cookies.get(SESSION)
  }

  /** Signs in without the form, for tests that are not about signing in. */
  async enter(world: World, { userId }: { userId: string }): Promise<this> {
    const token = await createBrowserSession(world.database.write, { userId, totpPending: false, userAgent: this.#userAgent })
    // The cookie has another name at a public address, so the session sets both.
    for (const name of [SESSION, `__Host-${SESSION}`]) this.#visitor.cookies.set(name, token.reveal())
    return this
  }

  get(path: string): Promise<VisitedPage> {
    return this.#visitor.get(path)
  }

  /** Opens the page, fills in its form for that action and sends it. */
  submit(page: string, action: string, fields: FormFields): Promise<VisitedPage> {
    return this.#visitor.post(action, fields, { from: page })
  }

  /** Sends a form with a CSRF token and Origin header that may be invalid. */
  forge(action: string, fields: FormFields, proof: { csrf?: string | null; origin?: string | null }): Promise<VisitedPage> {
    return this.#visitor.post(action, fields, { csrf: null, ...proof })
  }

  signIn(email: string, password: string): Promise<VisitedPage> {
    return this.submit('/console/sign-in', '/console/sign-in', { email, password })
  }

  giveCode(code: string): Promise<VisitedPage> {
    return this.submit('/console/sign-in/totp', '/console/sign-in/totp', { code })
  }
}

export async function withPassword<Person extends { userId: string; email: string }>(world: World, person: Person): Promise<Person> {
  await assignPassword(world, person)
  return person
}
