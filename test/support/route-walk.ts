import { webPages } from '../../src/surfaces/web/pages.ts'
import type { WebServices } from '../../src/surfaces/web/web.ts'
import type { World } from './world.ts'

/** Method and path of every web route, read from the product's router so that new routes are included. */
export function listWebRoutes(world: World): { method: string; path: string }[] {
  const web = {
    services: world.services,
    mailTransport: 'mailbox',
    production: false,
    trustedProxies: [],
    appSchemes: [],
  } as unknown as WebServices
  // Routes with the method `ALL` are middleware.
  return webPages(web).routes.filter(({ method }) => method !== 'ALL')
}

/** The paths of all pages that respond to GET, so that new pages are included. */
export const listPageRoutes = (world: World): string[] => [
  ...new Set(listWebRoutes(world).flatMap(({ method, path }) => (method === 'GET' ? [path] : []))),
]

/** Values for the parameters of a path: by parameter name if it is listed in `named`, otherwise every value of `any`. */
export interface KnownValues {
  named: Record<string, readonly string[]>
  any: readonly string[]
}

const PARAMETER = /^:(\w+)(?:\{(.+)\})?$/

/** Every address that a route can have with the known values. */
export function buildAddresses(route: string, { named, any }: KnownValues): string[] {
  let made = ['']
  // Splits at slashes outside braces, because a parameter's pattern may contain slashes.
  for (const part of route.split(/\/(?![^{]*\})/).slice(1)) {
    const [, name, pattern] = PARAMETER.exec(part) ?? []
    const values = name === undefined ? [part] : (named[name] ?? any)
    const fitting = pattern === undefined ? values : values.filter((value) => new RegExp(`^(?:${pattern})$`).test(value))
    made = made.flatMap((before) => fitting.map((value) => `${before}/${name === undefined ? value : encodeURIComponent(value)}`))
  }
  return made
}
