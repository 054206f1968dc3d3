import { type Call, callOf } from '#lib/api/client.ts'
import * as contract from './contract.ts'

export const listAssets: Call<typeof contract.listAssets> = callOf(contract.listAssets)
export const summarizeAssets: Call<typeof contract.summarizeAssets> = callOf(contract.summarizeAssets)
export const setQuantity: Call<typeof contract.setQuantity> = callOf(contract.setQuantity)
