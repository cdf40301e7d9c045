import { type EventUrlParts, buildEventPageUrls } from '../tenancy/public-pages.ts'

/** Returns the URLs of the group's page and of the page where invited people join; a personal link ends with the invitation's token. */
export function buildGroupPageUrls(at: EventUrlParts, groupCode: string) {
  const home = `${buildEventPageUrls(at).home}/group/${groupCode}`
  return { home, join: `${home}/join`, joinWith: (token: string) => `${home}/join/${token}` }
}
