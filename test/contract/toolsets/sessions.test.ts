import { contractOf } from '../contract.ts'

contractOf('sessions')
