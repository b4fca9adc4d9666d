mod fixture;
mod many;
mod pack;
mod properties;
mod reference;
mod storage;
mod tables;
