mod fixture;
mod properties;
mod reference;
mod speed;
mod storage;
mod tables;
