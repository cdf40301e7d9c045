import { contractOf } from '../contract.ts'

contractOf('marketing')
