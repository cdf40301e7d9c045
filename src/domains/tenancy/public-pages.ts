/** The codes of an event and the base URL; part of every event context. */
export interface EventUrlParts {
  baseUrl: string
  tenantCode: string
  client: { code: string }
  event: { code: string }
}

/** Builds the URLs of the event's participant pages, for links in pages and emails. */
export function buildEventPageUrls({ baseUrl, tenantCode, client, event }: EventUrlParts) {
  const home = `${baseUrl}/tenant/${tenantCode}/client/${client.code}/event/${event.code}`
  return {
    home,
    register: (flowSlug: string) => `${home}/register/${flowSlug}`,
    myRegistration: `${home}/registration`,
    signIn: `${home}/registration/sign-in`,
    edit: (page: string) => `${home}/registration/edit/${page}`,
    pay: `${home}/registration/pay`,
    housing: `${home}/housing`,
    blockRequests: `${home}/housing/request`,
    agenda: `${home}/agenda`,
    callForPapers: `${home}/call-for-papers`,
    exhibitor: `${home}/exhibitor`,
    speaker: (token: string) => `${home}/speaker/${token}`,
  }
}

/** Builds the paths of the event's participant pages without the origin, as participant tools return them. */
export const buildEventPagePaths = (address: Omit<EventUrlParts, 'baseUrl'>) => buildEventPageUrls({ ...address, baseUrl: '' })
