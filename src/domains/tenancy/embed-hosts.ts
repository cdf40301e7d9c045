import { z } from 'zod'

const HOST = /^(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]([a-z0-9-]*[a-z0-9])?(:\d{1,5})?$/

/** Asked again where it is written into the header: what the database holds is not taken on trust there. */
export const isEmbedHost = (host: string) => host.length <= 253 && HOST.test(host)

/** A website that may show our pages in a frame. It goes into a header, so nothing but a plain host gets through. */
export const embedHost = () =>
  z
    .string()
    .trim()
    .toLowerCase()
    .transform((text) => text.replace(/^https?:\/\//, '').replace(/\/$/, ''))
    .refine(isEmbedHost, 'a host is written like www.example.org')
