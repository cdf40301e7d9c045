import type { EventSite } from './event-site.ts'

/** The organizer's email address as a link, if the event has one. */
export const ContactLink = ({ site: { config } }: { site: EventSite }) => {
  const { contactEmail } = config.details
  return contactEmail ? <a href={`mailto:${contactEmail}`}>{contactEmail}</a> : null
}
