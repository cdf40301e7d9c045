/** Whose pages, and where this installation is reached. Every context at an event has it. */
export interface EventAddress {
  baseUrl: string
  tenantCode: string
  client: { code: string }
  event: { code: string }
}

/** Where an event's pages for participants are. Whoever sends somebody there asks here, so that pages and mails agree. */
export function eventPages({ baseUrl, tenantCode, client, event }: EventAddress) {
  const home = `${baseUrl}/tenant/${tenantCode}/client/${client.code}/event/${event.code}`
  return {
    home,
    register: (flowSlug: string) => `${home}/register/${flowSlug}`,
    myRegistration: `${home}/registration`,
    signIn: `${home}/registration/sign-in`,
    edit: (page: string) => `${home}/registration/edit/${page}`,
    pay: `${home}/registration/pay`,
    housing: `${home}/housing`,
  }
}

/** The same from the site's origin on, as participants' tools tell addresses. */
export const eventPaths = (address: Omit<EventAddress, 'baseUrl'>) => eventPages({ ...address, baseUrl: '' })
