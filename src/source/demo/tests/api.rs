//! Prices, and the limits that the real APIs set.

use super::*;
use crate::domain::{Platform, PriceBasis, Provenance, Tenancy};
use crate::source::provider::PriceWanted;

#[tokio::test]
async fn prices_follow_the_catalogue() {
    let demo = demo(42, None, NOW);
    let wanted = |region: &str, name: &str| PriceWanted {
        region: region.into(),
        instance_type: name.into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
    };
    let list = async |region: &str, name: &str| {
        let offers = demo[0].list_prices(&[wanted(region, name)]).await.unwrap();
        assert!(offers.iter().all(|o| o.rate.provenance == Provenance::Demo));
        offers.iter().find(|o| &*o.instance_type == name).map(|o| o.rate.usd_per_hour)
    };
    assert_eq!(list("us-east-1", "p4d.24xlarge").await, Some(21.957_642));
    assert_eq!(list("us-east-1", "p5.48xlarge").await, Some(55.04));
    assert_eq!(list("eu-west-1", "p4d.24xlarge").await, Some(23.715_69));
    assert_eq!(list("ap-northeast-1", "m5.xlarge").await, Some(0.248));
    // No list has it there: 1.34375 $/h in us-east-1 × 1.37.
    assert_eq!(list("ap-northeast-1", "trn1.2xlarge").await, Some(1.840_9));
    assert_eq!(list("us-west-2", "p5e.48xlarge").await, None);
    let windows = PriceWanted { platform: Platform::Windows, ..wanted("us-east-1", "g5.xlarge") };
    assert!(demo[0].list_prices(&[windows]).await.unwrap().is_empty());

    let spot = demo[1].spot_prices(&"us-east-1".into(), &["g5.12xlarge".into()]).await.unwrap();
    assert_eq!(spot.len(), 3);
    for offer in &spot {
        let usd = offer.rate.usd_per_hour;
        assert!((5.672 * 0.27..5.672 * 0.81).contains(&usd), "{usd}");
        assert_eq!(offer.rate.basis, PriceBasis::Spot);
    }
    let all = read(&demo).await;
    let leftover = &named(&all, "spot-leftover").instance;
    assert!(spot.iter().any(|o| o.az.as_deref() == Some(&*leftover.az)), "the trap has no price");
    // Only the types that AWS publishes no price for are without one.
    for seen in &all {
        let i = &seen.instance;
        let known = list(&i.scope.region, &i.instance_type).await.is_some();
        assert_eq!(known, !i.instance_type.starts_with("p5e."), "{}", i.instance_type);
    }
}

#[tokio::test]
async fn the_limits_of_the_apis_hold() {
    let demo = demo(42, None, NOW);
    let all = read(&demo).await;
    let cpu = query(&all[0], Signal::CpuMean).unwrap();
    let region = &all[0].instance.scope.region;
    let ask = async |queries: usize, hours: u32| {
        demo[0].metric_data(region, &vec![cpu.clone(); queries], window(NOW, hours)).await
    };
    assert!(ask(500, 201).await.is_ok());
    assert!(ask(501, 1).await.is_err());
    assert!(ask(500, 202).await.is_err());
    assert!(demo[0].instances(&"444455556666".into(), region, None).await.is_err());
    let nonsense = Some("next".to_owned());
    assert!(demo[0].gpu_metrics(region, nonsense).await.is_err());
    // A guessed dimension set finds nothing, as in CloudWatch; nor does another region.
    let gpu = all.iter().find(|s| s.gpu.len() == 8).unwrap();
    let mut asked = query(gpu, Signal::GpuMax(0)).unwrap();
    let region = &gpu.instance.scope.region;
    let full = gpu.provider.metric_data(region, &[asked.clone()], window(NOW, 24)).await.unwrap();
    assert_eq!(full[0].points.len(), 24);
    let elsewhere: Arc<str> =
        if &**region == "us-east-1" { "us-west-2" } else { "us-east-1" }.into();
    let none =
        gpu.provider.metric_data(&elsewhere, &[asked.clone()], window(NOW, 24)).await.unwrap();
    assert!(none[0].points.is_empty());
    if let MetricKey::AgentGpu { dimensions } = &mut asked.key {
        dimensions.0.pop();
    }
    let guessed = gpu.provider.metric_data(region, &[asked], window(NOW, 24)).await.unwrap();
    assert!(guessed[0].points.is_empty());
}
