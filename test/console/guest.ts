import { openSession } from '../../src/domains/sign-in/sessions.ts'
import { givePassword, PASSWORD } from '../support/browser.ts'
import type { Served } from '../support/server.ts'
import { type Fields, type Page, type Visitor, visitor } from '../support/visitor.ts'
import type { World } from '../support/world.ts'

export const FIRST_PASSWORD = PASSWORD
const SESSION = 'lanyard-organizer'
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** Somebody at the console: signed in, or on the way there. */
export class Guest {
  readonly #visitor: Visitor
  readonly #userAgent: string

  /** An address other than its own is believed where the server trusts this machine as its proxy. */
  constructor(served: Served, { address, userAgent = LINUX }: { address?: string; userAgent?: string } = {}) {
    this.#userAgent = userAgent
    this.#visitor = visitor(served, { 'user-agent': userAgent, ...(address ? { 'x-forwarded-for': address } : {}) })
  }

  get session(): string | undefined {
    return this.#visitor.cookies.get(SESSION)
  }

  /** Signed in without the form, where the sign-in is not what the test is about. */
  async enter(world: World, { userId }: { userId: string }): Promise<this> {
    const token = await openSession(world.database.write, { userId, totpPending: false, userAgent: this.#userAgent })
    // At a public address the cookie has another name; whoever enters holds it under both.
    for (const name of [SESSION, `__Host-${SESSION}`]) this.#visitor.cookies.set(name, token.reveal())
    return this
  }

  get(path: string): Promise<Page> {
    return this.#visitor.get(path)
  }

  /** Opens the page, fills in its form of that action and sends it. */
  submit(page: string, action: string, fields: Fields): Promise<Page> {
    return this.#visitor.post(action, fields, { from: page })
  }

  /** Sends a form with a proof of where it came from that need not be right. */
  forge(action: string, fields: Fields, proof: { csrf?: string | null; origin?: string | null }): Promise<Page> {
    return this.#visitor.post(action, fields, { csrf: null, ...proof })
  }

  signIn(email: string, password: string): Promise<Page> {
    return this.submit('/console/sign-in', '/console/sign-in', { email, password })
  }

  giveCode(code: string): Promise<Page> {
    return this.submit('/console/sign-in/totp', '/console/sign-in/totp', { code })
  }
}

export async function withPassword<Person extends { userId: string; email: string }>(world: World, person: Person): Promise<Person> {
  await givePassword(world, person)
  return person
}
