import { z } from 'zod'

const HOST = /^(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]([a-z0-9-]*[a-z0-9])?(:\d{1,5})?$/

/** A website that may show our pages in a frame. It goes into a header, so nothing but a plain host gets through. */
export const embedHost = () =>
  z
    .string()
    .trim()
    .toLowerCase()
    .transform((text) => text.replace(/^https?:\/\//, '').replace(/\/$/, ''))
    .refine((host) => host.length <= 253 && HOST.test(host), 'a host is written like www.example.org')
