import { z } from 'zod'

const HOST_PATTERN = /^(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]([a-z0-9-]*[a-z0-9])?(:\d{1,5})?$/

/** Whether a host name may be written to the Content-Security-Policy header. Stored values are checked again before they are written. */
export const isEmbedHost = (host: string) => host.length <= 253 && HOST_PATTERN.test(host)

/** Validates a website that may embed participant pages in a frame. It is written to a header, so only plain host names are accepted. */
export const embedHostSchema = () =>
  z
    .string()
    .trim()
    .toLowerCase()
    .transform((text) => text.replace(/^https?:\/\//, '').replace(/\/$/, ''))
    .refine(isEmbedHost, 'a host is written like www.example.org')
