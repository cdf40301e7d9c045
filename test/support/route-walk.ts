import { webPages } from '../../src/surfaces/web/pages.ts'
import type { Web } from '../../src/surfaces/web/web.ts'
import type { World } from './world.ts'

/** Method and path of everything that people can open or send, as the product's own router has them, so that what is added is found. */
export function webRoutes(world: World): { method: string; path: string }[] {
  const web = { road: world.road, mailTransport: 'mailbox', production: false, trustedProxies: [], appSchemes: [] } as unknown as Web
  // What is in the way of all of them has no method of its own.
  return webPages(web).routes.filter(({ method }) => method !== 'ALL')
}

/** The addresses of pages that can be got, so that a page that is added is walked to. */
export const pageRoutes = (world: World): string[] => [
  ...new Set(webRoutes(world).flatMap(({ method, path }) => (method === 'GET' ? [path] : []))),
]

/** What stands for a parameter of an address: by its name where that says it, else anything that is known. */
export interface Known {
  named: Record<string, readonly string[]>
  any: readonly string[]
}

const PARAMETER = /^:(\w+)(?:\{(.+)\})?$/

/** Every address that a route may have by what is known. */
export function addressesOf(route: string, { named, any }: Known): string[] {
  let made = ['']
  // A pattern may hold slashes of its own.
  for (const part of route.split(/\/(?![^{]*\})/).slice(1)) {
    const [, name, pattern] = PARAMETER.exec(part) ?? []
    const values = name === undefined ? [part] : (named[name] ?? any)
    const fitting = pattern === undefined ? values : values.filter((value) => new RegExp(`^(?:${pattern})$`).test(value))
    made = made.flatMap((before) => fitting.map((value) => `${before}/${name === undefined ? value : encodeURIComponent(value)}`))
  }
  return made
}
