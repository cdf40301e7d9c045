import { type EventAddress, eventPageUrls } from '../tenancy/public-pages.ts'

/** Where a group is looked after, and where whoever was invited joins it: their own token is the last part. */
export function groupPages(at: EventAddress, groupCode: string) {
  const home = `${eventPageUrls(at).home}/group/${groupCode}`
  return { home, join: `${home}/join`, joinWith: (token: string) => `${home}/join/${token}` }
}
