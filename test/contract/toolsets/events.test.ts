import { contractOf } from '../contract.ts'

contractOf('events')
