mod fixture;
mod many;
mod properties;
mod reference;
mod storage;
mod tables;
